/// @file
/// What a plan spends by questions of its own: what whoever checks an answer asks.
#pragma once

#include <optional>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::solve {

/// A budget, and who is asked whether a plan is inside of it. Accountants keep what they computed, so that the end of a
/// bracket depends on what they were asked before, within their tolerance: here each is made for one question.
struct Budget {
  AccountantName name;
  double tolerance;
  double epsilon;  ///< in [0, inf)
  double delta;    ///< in [0, 1)

  /// Epsilon of `known` at the budget's delta, and how far it is from being inside.
  struct Asked {
    Answer<Bound> spent;  ///< a refusal where delta alone is beyond
    double beyond;        ///< at most 0 exactly where it is inside; else about the share by which noise has to grow
  };

  /// Inside is what spends at most epsilon; and, for budgets with a delta and accountants that answer that, whose delta
  /// at the budget's epsilon is inside as well.
  Asked asked(const Plan& known) const;

  /// The same where epsilon has been asked for, by a question of its own.
  double beyond(const Plan& known, const Answer<Bound>& spent) const;

 private:
  double beyond_epsilon(const Answer<Bound>& spent) const;
  double beyond_delta(const Plan& known) const;
};

}  // namespace dpbudget::solve
