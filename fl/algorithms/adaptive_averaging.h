/// @file
/// DPNFL and AdDPNFL, and without noise their plain forms nfl and adnfl.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// Averages local steps with the weights and client sampling of the run: w_{t+1} = w_t + eta_g sum of weighted updates.
/// @source Chen et al. 2024, "Differentially Private Federated Learning on Non-iid Data", Algorithm 1
class Nfl : public LocalSteps {};

/// The same with an adaptive server: with Delta the weighted sum of the updates,
///
///     mu = beta_1 mu + (1 - beta_1) Delta,  nu = beta_2 nu + (1 - beta_2) Delta^2,  w += eta_g mu / (sqrt(nu) + pi).
///
/// from mu = 0 and nu = pi^2, the least that the paper allows. That is the listing; the paper's text has mu^2 where the
/// listing has Delta^2, which the option squares_of chooses.
/// @source Chen et al. 2024, Algorithm 2
class AdaptiveNfl final : public Nfl {
 public:
  OptionList options() const override;
  void prepare(const SettledRun& run, ServerState& state) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
};

}  // namespace dpbudget::fl
