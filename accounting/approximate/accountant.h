/// @file
/// The classical accountant: every release by its (epsilon, delta), composed as well as that allows.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::approximate {

/// The smallest epsilon for which the accountant proves that `plan` is (epsilon, delta)-DP. Every release gets an equal
/// share of a part of delta and is composed by its epsilon at that share; the part is searched for. The lower end of
/// the bracket is 0.
/// @param delta  in (0, 1)
/// @throws Unsupported when the plan holds an event that has no theorem here under its adjacency
/// @throws InvalidArgument naming the number that is unknown or outside its range
/// @source the theorems it returns; proofs.md
Bound epsilon(const NormalPlan& plan, double delta);

/// A delta for which the accountant proves that `plan` is (epsilon, delta)-DP, next to the smallest: 0, or at least
/// 1e-300 (a composition of Gaussians alone has it exactly, however small).
/// @param epsilon  in [0, inf)
/// Errors and source as `epsilon`.
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::approximate
