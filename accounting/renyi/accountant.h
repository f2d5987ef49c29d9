/// @file
/// The Rényi accountant: epsilon, delta and the largest number of rounds of a plan.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/renyi/curve_of.h"

namespace dpbudget::renyi {

/// The smallest epsilon for which the accountant proves that `plan` is (epsilon, delta)-DP, minimised over all real
/// orders. The lower end of the bracket is 0: Rényi curves bound from above only.
/// @param delta  in (0, 1)
/// @throws Unsupported when the plan holds an event for which `curve_of` has no theorem
/// @throws InvalidArgument naming the number that is unknown or outside its range
/// @source the theorems it returns; conversion: Canonne, Kamath, Steinke 2020, Proposition 12, or total variation
Bound epsilon(const NormalPlan& plan, double delta);

/// The same for a plan whose curve is at hand.
Bound epsilon_bound(const PlanCurve& plan_curve, double delta);

/// The smallest delta for which the accountant proves that `plan` is (epsilon, delta)-DP.
/// @param epsilon  in [0, inf)
/// Errors and source as `epsilon`.
DeltaBound delta(const NormalPlan& plan, double epsilon);

/// The upper end of `epsilon` for a curve that is at hand, with the order that gave it (infinity for pure DP).
struct EpsilonAtOrder {
  double epsilon;
  double order;
};
EpsilonAtOrder epsilon_of(const Curve& curve, double delta);

/// The largest number of adaptive repetitions of `plan` that the accountant proves to be (epsilon, delta)-DP.
struct Rounds {
  std::uint64_t rounds;    ///< 0 when a single round already exceeds the budget
  bool unbounded = false;  ///< a round spends nothing that a double can show: any number up to 2^53 fits
  Bound at_rounds;         ///< epsilon of `rounds` repetitions
  Bound at_next;           ///< epsilon of one more, above the budget; absent (0, 0) when unbounded
};
/// @param epsilon  in [0, inf)
/// @param delta    in (0, 1)
/// Errors and source as `epsilon`.
Rounds rounds(const NormalPlan& plan, double epsilon, double delta);

}  // namespace dpbudget::renyi
