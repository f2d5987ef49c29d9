/// @file
/// The Rényi accountant: epsilon, delta and the largest number of rounds of a plan.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/renyi/curve_of.h"

namespace dpbudget::renyi {

/// Answers for any number of adaptive repetitions of one plan, whose curve is made once. The lower ends are 0: Rényi
/// curves bound from above only.
/// @source the theorems it returns; conversion: Canonne, Kamath, Steinke 2020, Proposition 12, or total variation
class Accountant {
 public:
  /// @param plan  one repetition
  /// @throws Unsupported when the plan holds an event for which `curve_of` has no theorem
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  explicit Accountant(const NormalPlan& plan) : once_(curve_of(plan)) {}

  /// The smallest epsilon for which `count` repetitions are proven to be (epsilon, delta)-DP, minimised over all real
  /// orders.
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  Bound epsilon(std::uint64_t count, double delta) const;

  /// The smallest delta, likewise.
  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon) const;

  const Curve& once() const { return *once_.curve; }  ///< of one repetition

 private:
  PlanCurve repeated(std::uint64_t count) const;

  PlanCurve once_;
};

/// The same for a plan as it is.
Bound epsilon(const NormalPlan& plan, double delta);
/// The smallest delta at `epsilon`, likewise.
DeltaBound delta(const NormalPlan& plan, double epsilon);

/// The same for a plan whose curve is at hand.
Bound epsilon_bound(const PlanCurve& plan_curve, double delta);

/// The upper end of `epsilon` for a curve that is at hand, with the order that gave it (infinity for pure DP).
struct EpsilonAtOrder {
  double epsilon;
  double order;
};
/// The least over all orders.
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
