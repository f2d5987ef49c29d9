/// @file
/// The classical accountant: every release by its (epsilon, delta), composed as well as that allows.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/approximate/curve_of.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::approximate {

/// The smallest delta above 0 that is looked for.
inline constexpr double log_least_delta = -690;

/// Whether its answers take next to nothing: of few different releases, none of which is shuffled.
bool takes_little(const Event& event);

/// Answers for any number of adaptive repetitions of one plan, whose curve is made once. The lower ends are 0.
/// @source the theorems it returns, and accounting/approximate/proofs.md
class Accountant {
 public:
  /// @param plan  one repetition
  /// @throws Unsupported when the plan holds an event that has no theorem here under its adjacency
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  explicit Accountant(const NormalPlan& plan);

  /// The smallest epsilon for which `count` repetitions are proven to be (epsilon, delta)-DP. Every release gets an
  /// equal share of a part of delta and is composed by its epsilon at that share; the part is searched for.
  /// @param count  in [0, 2^53]
  /// @param delta  in [0, 1); at 0 pure guarantees compose, and the answer is infinite where a release has none
  Bound epsilon(std::uint64_t count, double delta) const;

  /// A delta for which they are, next to the smallest: 0, or at least 1e-300 (a composition of Gaussians alone has it
  /// exactly, however small).
  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon) const;

  /// Whether that delta is above e^log_most, by one look at the curve, where it is found by many.
  /// @param epsilon  in [0, inf)
  bool is_delta_above(std::uint64_t count, double epsilon, double log_most) const;

 private:
  PlanCurve repeated(std::uint64_t count) const;

  NormalPlan plan_;
  PlanCurve once_;
  double precision_;  // relative, of the logarithm of delta
};

/// The same for a plan as it is.
Bound epsilon(const NormalPlan& plan, double delta);
/// A delta at `epsilon`, likewise.
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::approximate
