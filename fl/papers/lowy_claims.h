/// @file
/// What Lowy and Razaviyayn 2023 claim of a silo's messages (ISRL-DP).
#pragma once

#include <optional>

#include "dpbudget/fl/papers/claims.h"

namespace dpbudget::fl {

/// The claim against everybody but the silo itself (server, other_clients), for a silo that takes part in every round.
/// With the clipping norm C as its L, per coordinate of a release noise of variance s^2, batches of K of n records:
///
///     fresh batches, one step a round    s^2 = 256 C^2 R log(2.5 R K / (delta n)) log(2 / delta) / (n^2 epsilon^2)
///     disjoint batches                   s^2 = 8 C^2 log(2 / delta) / (epsilon^2 K^2)
///     local SGD, K steps a round         s^2 = 8 C^2 (R K) log(1 / delta) / (n^2 epsilon^2), as its experiments have
///     it
///
/// @param run  with Gaussian noise
/// @return nothing where the formulas' preconditions fail for the epsilon that they give, or the noise changes
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem D.1 with appendix D.8, appendix E.1, appendix I
std::optional<AdversaryPlan> lowy_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary);

/// epsilon for which the formula gives the run's noise.
std::optional<double> lowy_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                           double delta);

/// The noise multiplier that the formula gives a silo of its own size, batch and budget (epsilon, delta).
/// @return nothing where the formula's preconditions fail, or the noise changes
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), appendix H: every silo by its own n_i, K_i, epsilon_i, delta_i
std::optional<double> lowy_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                 double delta);

/// What Lowy and Razaviyayn (2023) claim of their algorithms.
class LowyClaims final : public Claims {
 public:
  std::optional<AdversaryPlan> published(const SettledRun& run, const Sizes& sizes,
                                         Adversary adversary) const override {
    return lowy_claim(run, sizes, adversary);
  }
  std::optional<double> published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override {
    return lowy_claimed_epsilon(run, sizes, adversary, delta);
  }
  std::optional<double> published_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                        double delta) const override {
    return lowy_noise(run, sizes, adversary, epsilon, delta);
  }
  std::string silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;

  /// Fresh batches: the budget of its experiments, 8 C^2 R log(1 / delta) / (n^2 epsilon^2). Shuffled reports: Theorem
  /// G.1, against a third party and the server, who see what the shuffler hands on.
  std::vector<Stated> stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                             double delta) const override;
};

}  // namespace dpbudget::fl
