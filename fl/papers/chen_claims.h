/// @file
/// What Chen et al. 2024 claim of DPNFL and AdDPNFL.
#pragma once

#include "dpbudget/fl/papers/claims.h"

namespace dpbudget::fl {

/// Truncated CDP of the expected number of participations.
/// @source Chen et al. 2024, "Differentially Private Federated Learning on Non-iid Data", Theorem 5
class ChenClaims final : public Claims {
 public:
  std::optional<AdversaryPlan> published(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::string silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;

  /// The one (epsilon, delta) that Theorem 5 writes down.
  std::vector<Stated> stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                             double delta) const override;

  /// The least noise for which the conversion of Lemmas 2 to 4 gives (epsilon, delta), over 2 G / B.
  std::optional<double> published_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                        double delta) const override;
};

}  // namespace dpbudget::fl
