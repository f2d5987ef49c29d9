/// @file
/// The value of an unknown that a named accountant certifies, in few questions to the dear ones.
#pragma once

#include <functional>
#include <optional>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/solve/unknown.h"

namespace dpbudget::solve {

/// A bound on epsilon by one accountant as a function of the value that is looked for.
using BoundBy = std::function<Answer<Bound>(AccountantName name, double value)>;

/// As `unknown`: started from what the Rényi accountant allows where that has a theorem, then searched by the
/// accountant `name`, which has certified the value handed back. For `best` the member that gives it its upper end
/// there is asked alone, and another that gives it at what was found, as long as `best` certifies that. Real values are
/// found to a relative 1e-12, and by loss distributions, which are no smoother than that, to a hundredth of the
/// tolerance; or until they leave no more of the budget than a hundredth of the bracket's width, at most a millionth.
/// @param tolerance  with which `bound_by` asks
/// @param epsilon    in [0, inf)
/// @param bound_by   monotone in the value
/// @param guess      where Rényi's search starts; found without it, only slower
/// @return a refusal when the accountant has no theorem
/// @throws InvalidArgument naming epsilon, or what `bound_by` throws
Answer<Solution> by_accountant(UnknownKind kind, AccountantName name, double tolerance, double epsilon,
                               const BoundBy& bound_by, std::optional<double> guess = std::nullopt);

/// The unknown of `plan` by the accountant `name`: real values to a relative 1e-12, or 1e-7 where meshes or contours
/// that hardly converge decide and 1e-4 where meshes resolve nothing, or within a hundredth of a bracket's width, and
/// from there as far to the safe side as it takes to be inside by questions of its own (alone.h).
/// @param tolerance  relative width that brackets are refined to, in (0, 1)
/// @param epsilon    in [0, inf)
/// @param delta      in [0, 1)
/// Errors as `unknown`.
Answer<Solution> unknown(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta);

}  // namespace dpbudget::solve
