/// @file
/// What Zheng, Chen, Long and Su 2021 claim of PriFedSync.
#pragma once

#include "dpbudget/fl/papers/claims.h"

namespace dpbudget::fl {

/// mu-GDP in the limit of many steps, towards one other client and towards all of them.
/// @source Zheng, Chen, Long, Su 2021 (arXiv:2102.11158), Theorem 2 and its corollary
class ZhengClaims final : public Claims {
 public:
  std::optional<AdversaryPlan> published(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;
  std::optional<double> published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                          double delta) const override;
  std::string silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const override;

  /// Theorem 1, which counts the sampling of clients, as published and as corrected (accounting/tradeoff/proofs.md,
  /// 4.3), f_j being what Theorem 2 gives one round.
  std::vector<Stated> stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                             double delta) const override;
};

}  // namespace dpbudget::fl
