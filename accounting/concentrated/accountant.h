/// @file
/// The concentrated accountant: epsilon and delta of a plan by zCDP and tCDP.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::concentrated {

/// Answers for any number of adaptive repetitions of one plan, whose tCDP is found once. The lower ends are 0: tCDP
/// bounds from above only.
/// @source the theorems it returns; conversion: Canonne, Kamath, Steinke 2020, Proposition 12
class Accountant {
 public:
  /// @param plan  one repetition
  /// @throws InvalidArgument and Unsupported as `account_of`
  explicit Accountant(const NormalPlan& plan) : once_(account_of(plan)) {}

  /// The smallest epsilon for which `count` repetitions are proven to be (epsilon, delta)-DP, minimised over the orders
  /// in (1, omega).
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  Bound epsilon(std::uint64_t count, double delta) const;

  /// The smallest delta, likewise.
  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon) const;

 private:
  Account once_;
};

/// The same for a plan as it is.
Bound epsilon(const NormalPlan& plan, double delta);
/// The smallest delta at `epsilon`, likewise.
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::concentrated
