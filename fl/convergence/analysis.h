/// @file
/// Whose convergence theory an algorithm has.
#pragma once

namespace dpbudget::fl {

/// The theorems that are about an algorithm: they bound how far its runs end from the optimum, and some prescribe
/// steps.
enum class Analysis {
  none,
  noble_averaging,   ///< Noble et al. 2022, DP-FedAvg
  noble_scaffold,    ///< the same, DP-SCAFFOLD-warm
  chang,             ///< Chang et al. 2022, DP-SCAFFOLD
  chen,              ///< Chen et al. 2024, DPNFL
  chen_adaptive,     ///< the same, AdDPNFL
  lowy_minibatch,    ///< Lowy, Razaviyayn 2023, Algorithm 2
  lowy_accelerated,  ///< the same, Algorithm 1
  lowy_multi_stage,  ///< the same, appendix E.1
  lowy_local,        ///< the same, local SGD: its analysis is that of averaging, no theorem of the paper's own
};

}  // namespace dpbudget::fl
