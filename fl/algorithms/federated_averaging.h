/// @file
/// FedAvg and, with noisy releases, DP-FedAvg; with K = 1 / s local steps FedSGD and DP-FedSGD.
#pragma once

#include "dpbudget/fl/algorithm.h"

namespace dpbudget::fl {

/// @source Noble et al. 2022, Algorithm 2; McMahan et al. 2017
class FederatedAveraging final : public Algorithm {
 public:
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
  std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary,
                                    Basis basis) const override;
};

}  // namespace dpbudget::fl
