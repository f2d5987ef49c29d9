/// @file
/// Noisy local SGD: steps on one record each, models averaged.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// Averages local steps, on batches of one record each: the paper's baseline. Its claim is Lowy and Razaviyayn's.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), appendix I, as restored from its description
class LocalSgd final : public LocalSteps {
 public:
  std::optional<AdversaryPlan> published(const Run& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::optional<double> published_noise(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                        double delta) const override;
};

}  // namespace dpbudget::fl
