/// @file
/// The exact composition of equal (epsilon, delta)-DP mechanisms.
///
/// Of `count` adaptively chosen mechanisms, each (epsilon, delta)-DP, nothing better than this can be said, and this is
/// attained. With P the binomial law of the number j of `count` trials that succeed with odds e^epsilon, and losses
/// (2 j - count) epsilon,
///
///     s(total_epsilon) = sum over j of P(j) (1 - e^(total_epsilon - loss_j))_+
///     total_delta      = 1 - (1 - delta)^count (1 - s(total_epsilon)).
///
/// Adjacency: any, that of the mechanisms.
///
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), Theorem 3.3; between its lattice points by their Theorem 3.2
#pragma once

#include "dpbudget/accounting/base/epsilon_delta.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::approximate {

// In every function: epsilon in [0, inf) and delta in [0, 1] of one mechanism, count an integer in [1, 2^53], each
// refused by name (InvalidArgument) when outside.

/// log total_delta at `total_epsilon`.
/// @param total_epsilon  in [0, inf)
/// @return relative error of total_delta below 1e-11 + 1e-14 |log total_delta|
double optimal_composition_log_delta(double epsilon, double delta, double count, double total_epsilon);

/// The same between two proven bounds, about 1e-10 apart where no more than 2^14 outcomes matter (a count of a
/// million), and up to 1e-2 at a count of 2^53.
numeric::Bracket optimal_composition_log_delta_bracket(double epsilon, double delta, double count,
                                                       double total_epsilon);

/// The least total_epsilon at which the composition has `total_delta`: 0 when it has at 0, infinity when total_delta is
/// below 1 - (1 - delta)^count.
/// @param total_delta  in [0, 1]
/// @return relative error below 1e-11 where the delta at 0 exceeds total_delta by a factor of 2 or more
double optimal_composition_epsilon(double epsilon, double delta, double count, double total_delta);

/// The same, rounded up: a proven upper bound.
/// @source accounting/approximate/proofs.md, 3.3
double optimal_composition_epsilon_bound(double epsilon, double delta, double count, double total_delta);

/// The theorem's own guarantees, `index` steps below the top: total_epsilon = (count - 2 index) epsilon.
/// @param index  an integer in [0, count / 2]
/// @return relative error as above
EpsilonLogDelta optimal_composition_at(double epsilon, double delta, double count, double index);

}  // namespace dpbudget::approximate
