/// @file
/// The accountant of Gaussian differential privacy: everything a plan releases as one Gaussian.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::tradeoff {

/// The mu of a plan, and what it is.
struct GaussianDp {
  double mu;
  Guarantee guarantee;  ///< `proven` for compositions of Gaussians, `estimate` where a limit theorem stands in
};

/// mu of a plan of Gaussians: the square root of the sum of squares. Gaussians alone compose so exactly; samples of
/// them by central limit theorems, Poisson under add_or_remove_one and zero_out_one, without replacement under
/// replace_one.
/// @throws Unsupported naming any other event, or a sampling scheme under another adjacency
/// @throws InvalidArgument when a number of the plan is unknown or out of range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Corollaries 3.3 and 5.4; Bu, Dong, Long, Su 2020 (arXiv:1911.11607)
GaussianDp gaussian_dp(const NormalPlan& plan);

/// epsilon at `delta` of the plan's G_mu; a lower end where it is proven.
/// @param delta  in (0, 1)
/// Errors as `gaussian_dp`.
Bound epsilon(const NormalPlan& plan, double delta);

/// @param epsilon  in [0, inf)
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::tradeoff
