/// @file
/// DP-FedAvg and DP-FedSGD, and without noise FedAvg and FedSGD.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// Averages local steps, and claims what Noble et al. do.
/// @source Noble et al. 2022, Algorithm 2
class FederatedAveraging final : public LocalSteps {
 public:
  std::optional<AdversaryPlan> published(const Run& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::optional<std::uint64_t> published_rounds(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                                double delta) const override;
};

}  // namespace dpbudget::fl
