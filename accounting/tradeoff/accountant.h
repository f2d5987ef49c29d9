/// @file
/// The accountant of Gaussian differential privacy: everything a plan releases as one Gaussian.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::tradeoff {

/// The mu of a plan, and what it is.
struct GaussianDp {
  double mu;
  Guarantee guarantee;  ///< `proven` for compositions of Gaussians, `estimate` where a limit theorem stands in
};

/// The squares of mu of what a plan releases, and by which limits.
struct LimitSquares {
  double sum = 0;
  bool has_poisson = false;
  bool has_without_replacement = false;

  bool is_limit() const { return has_poisson || has_without_replacement; }
};

/// mu of a plan of Gaussians: the square root of the sum of squares. Gaussians alone compose so exactly; samples of
/// them by central limit theorems, Poisson under add_or_remove_one and zero_out_one, without replacement under
/// replace_one.
/// @throws Unsupported naming any other event, or a sampling scheme under another adjacency
/// @throws InvalidArgument when a number of the plan is unknown or out of range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Corollaries 3.3 and 5.4; Bu, Dong, Long, Su 2020 (arXiv:1911.11607)
GaussianDp gaussian_dp(const NormalPlan& plan);

/// Answers for any number of repetitions of one plan, whose squares of mu are added up once; lower ends where they are
/// proven.
class Accountant {
 public:
  /// @param plan  one repetition
  /// Errors as `gaussian_dp`.
  explicit Accountant(const NormalPlan& plan);

  /// epsilon at `delta` of the G_mu of `count` repetitions.
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  Bound epsilon(std::uint64_t count, double delta) const;

  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon) const;

 private:
  NormalPlan plan_;
  LimitSquares squares_;
};

}  // namespace dpbudget::tradeoff
