/// @file
/// The value of a plan's unknown that leaves an attacker so little and no more.
#pragma once

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/solve/unknown.h"

namespace dpbudget::risk {

/// What an attacker reaches on a plan: both ends, and what they rest on.
Bound advantage(const Plan& plan, AccountantName name, double tolerance);
/// The largest true-positive rate at that false-positive rate, likewise.
Bound true_positive_rate(const Plan& plan, AccountantName name, double tolerance, double false_positive_rate);

/// The value of the unknown at which no test for membership has a larger advantage than that, as solve::unknown with
/// epsilon 0; `at_value` of the solution is the advantage there, by a question of its own.
/// @param tolerance  relative width that brackets are refined to, in (0, 1)
/// @param advantage  in (0, 1)
/// @return a refusal when the accountant has no theorem
/// @throws InvalidArgument naming advantage, or as solve::unknown
Answer<solve::Solution> for_advantage(const Plan& plan, AccountantName name, double tolerance, double advantage);

/// The value at which no test for membership whose false-positive rate is `fpr` has a true-positive rate above `tpr`:
/// that rate at the value, by a question of its own, is `at_value` of the solution. Real values are nearly the best,
/// within some 1e-7 of the best that the accountant's own ends allow; whole numbers are such that the next does not
/// fit. The smallest value over the lines of accounting/risk/proofs.md, 1.1, each of which gives one by solve::unknown.
/// @param tolerance  relative width that brackets are refined to, in (0, 1)
/// @param tpr        in (fpr, 1): who guesses has fpr
/// @param fpr        in (0, 1)
/// @return a refusal when the accountant has no theorem
/// @throws InvalidArgument naming tpr or fpr, or as solve::unknown
Answer<solve::Solution> for_true_positive_rate(const Plan& plan, AccountantName name, double tolerance, double tpr,
                                               double fpr);

}  // namespace dpbudget::risk
