/// @file
/// DP-FedAvg and DP-FedSGD, and without noise FedAvg and FedSGD.
#pragma once

#include "dpbudget/fl/algorithm.h"

namespace dpbudget::fl {

/// Local steps along released gradients of the regularised objective, from the server's model; the server adds the
/// weighted updates, times eta_g, to its own.
/// @source Noble et al. 2022, Algorithm 2; McMahan et al. 2017
class FederatedAveraging : public Algorithm {
 public:
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  std::optional<AdversaryPlan> published(const Run& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::optional<std::uint64_t> published_rounds(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                                double delta) const override;
};

/// The weighted sum of the updates' models.
Vector weighted_sum(std::span<const Update> updates);

}  // namespace dpbudget::fl
