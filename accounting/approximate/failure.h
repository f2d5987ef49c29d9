/// @file
/// The part of a composition's delta that comes from the deltas of its mechanisms: the chance that one of them fails.
#pragma once

#include <span>

#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::approximate {

/// `count` mechanisms that each fail with probability `delta`.
struct Failing {
  double delta;
  double count;
};

/// log of the probability that none fails, the sum of count log(1 - delta).
double log_no_failure(std::span<const Failing> mechanisms);

/// log(1 - (1 - s) e^log_no_failure), without cancellation: log total_delta.
double with_failures(double log_no_failure, double log_s);

/// The same for a bracket of s, widened by its own rounding and that of `log_no_failure`.
numeric::Bracket with_failures_bracket(double log_no_failure, const numeric::Bracket& log_s);

/// What is left for s when the composition may have `total_delta`.
struct Allowed {
  bool is_impossible;     ///< the failures alone exceed total_delta
  double log_s;           ///< log s, s = (total_delta - f) / (1 - f), f the probability of a failure
  double log_complement;  ///< log(1 - s)
};
/// @return relative error of s and of 1 - s below 1e-14, also where f is nearly total_delta
Allowed allowed(std::span<const Failing> mechanisms, double total_delta);

}  // namespace dpbudget::approximate
