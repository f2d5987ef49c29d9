/// @file
/// Noisy local SGD: steps on one record each, models averaged.
#pragma once

#include "dpbudget/fl/algorithms/federated_averaging.h"

namespace dpbudget::fl {

/// FedAvg with batches of one record and every local model projected on the ball; the baseline of the paper.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), appendix I, as restored from its description
class LocalSgd final : public FederatedAveraging {
 public:
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
  std::optional<AdversaryPlan> published(const Run& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::optional<double> published_noise(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                        double delta) const override;
  std::optional<std::uint64_t> published_rounds(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                                double delta) const override;
};

}  // namespace dpbudget::fl
