/// @file
/// The concentrated accountant: epsilon and delta of a plan by zCDP and tCDP.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::concentrated {

/// The smallest epsilon for which the accountant proves that `plan` is (epsilon, delta)-DP, minimised over the orders
/// in (1, omega). The lower end of the bracket is 0: tCDP bounds from above only.
/// @param delta  in (0, 1)
/// @throws InvalidArgument and Unsupported as `account_of`
/// @source the theorems it returns; conversion: Canonne, Kamath, Steinke 2020, Proposition 12
Bound epsilon(const NormalPlan& plan, double delta);

/// The smallest delta for which the accountant proves that `plan` is (epsilon, delta)-DP.
/// @param epsilon  in [0, inf)
/// Errors and source as `epsilon`.
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::concentrated
