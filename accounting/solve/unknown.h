/// @file
/// The `?` of a plan: the value that spends a budget, always from the safe side.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::solve {

/// Anything that bounds epsilon of a plan at a given delta, such as renyi::epsilon, or refuses to.
using EpsilonOf = std::function<Answer<Bound>(const Plan&, double delta)>;

/// A bound on epsilon as a function of the value that is looked for. A value for which there is none does not fit, so
/// that a theorem may hold on one side of some value only.
using BoundAt = std::function<Answer<Bound>(double value)>;

/// What stands for the unknown.
struct Solution {
  UnknownKind kind;
  std::optional<double> value;  ///< absent when no value meets the budget, or when every value does
  bool every_value = false;     ///< whether every value meets it, as far as there is an answer
  Bound at_value;               ///< the accountant's bound at `value`: upper is at most the budget
  std::string explanation;      ///< one sentence about what was found
};

/// The value of the unknown at which `plan` just meets the budget: the largest count, rate or epsilon, or the smallest
/// noise multiplier, scale or number of shuffled reports, for which the accountant's upper bound is at most `epsilon`.
/// Real values are found to a relative 1e-12, numbers of reports beyond a million to 1e-6, from the safe side: the
/// bound at the value itself has been computed and is inside the budget.
/// @param plan     with one unknown
/// @param epsilon  in [0, inf)
/// @param delta    in [0, 1)
/// @param guess    where to start, best on the safe side; found without it, only slower
/// @return a refusal when the accountant answers for no value but a trivial 0
/// @throws InvalidArgument when the plan has no unknown or several, or a number is out of range
Answer<Solution> unknown(const Plan& plan, double epsilon, double delta, const EpsilonOf& accountant,
                         std::optional<double> guess = std::nullopt);

/// The same for a value that stands in no plan: `kind` says which values there are and which way the bound goes, the
/// largest that fit being wanted of counts, rates and epsilons, the smallest of the others.
/// @param bound_at   monotone in the value
/// @param precision  of real values, relatively, or of what they leave of the budget: finer ones than the bound itself
///                   has cost evaluations for nothing, and a hundredth of its width, up to a millionth, is enough;
///                   so is a hundredth of a jump between two values by less than brackets there are wide
/// @param tolerance  how far resolved upper ends may be off, relatively, of which nothing is known from below
Answer<Solution> unknown(UnknownKind kind, double epsilon, const BoundAt& bound_at,
                         std::optional<double> guess = std::nullopt, double precision = 1e-13, double tolerance = 0);

/// What the one unknown of `plan` stands for.
/// @throws InvalidArgument when it has none or several, or a number is out of range
UnknownKind only_unknown(const Plan& plan);

}  // namespace dpbudget::solve
