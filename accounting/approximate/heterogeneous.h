/// @file
/// The optimal composition of different (epsilon, delta)-DP mechanisms.
///
/// With a coin of odds e^epsilon_i for every mechanism, and as losses the sums of +-epsilon_i over the coins' outcomes,
///
///     s(total_epsilon) = sum over all outcomes of P (1 - e^(total_epsilon - loss))_+
///     total_delta      = 1 - (1 - s(total_epsilon)) times the product of the 1 - delta_i.
///
/// The mechanisms may be chosen adaptively, as long as their guarantees are fixed in advance. Adjacency: any, that of
/// the mechanisms. The sum has a term for every way of counting the outcomes among mechanisms of equal epsilon; in
/// general it is hard for the class sharp P.
///
/// @source Murtagh, Vadhan 2016 (arXiv:1507.03113), equation (1)
#pragma once

#include <span>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::approximate {

/// The number of terms up to which the sum is computed.
inline constexpr double most_combinations = 0x1p22;

// In every function: epsilons, each in [0, inf), and as many deltas, each in [0, 1], of the mechanisms; refused by name
// (InvalidArgument) when outside.

/// How many terms the sum has: the product of (mechanisms of one epsilon + 1) over the different epsilons above 0.
double combinations(std::span<const double> epsilons);

/// log total_delta at `total_epsilon`.
/// @param total_epsilon  in [0, inf)
/// @return relative error of total_delta below 1e-11 + 1e-14 |log total_delta|
/// @throws Unsupported when there are more than most_combinations terms
double optimal_composition_heterogeneous_log_delta(std::span<const double> epsilons, std::span<const double> deltas,
                                                   double total_epsilon);

/// The same between two proven bounds.
numeric::Bracket optimal_composition_heterogeneous_log_delta_bracket(std::span<const double> epsilons,
                                                                     std::span<const double> deltas,
                                                                     double total_epsilon);

/// The least total_epsilon at which the composition has `total_delta`: 0 when it has at 0, infinity when no epsilon is
/// enough.
/// @param total_delta  in [0, 1]
/// @return relative error below 1e-10 where total_delta is at most 1/2 and half of the delta at 0
/// @throws Unsupported when there are more than most_combinations terms
double optimal_composition_heterogeneous_epsilon(std::span<const double> epsilons, std::span<const double> deltas,
                                                 double total_delta);

/// The same, rounded up: a proven upper bound.
/// @source accounting/approximate/proofs.md, 3.3
double optimal_composition_heterogeneous_epsilon_bound(std::span<const double> epsilons, std::span<const double> deltas,
                                                       double total_delta);

/// Brackets of the same for any number of mechanisms, by privacy-loss distributions; both ends are proven.
/// @param tolerance  relative width that is aimed at, in (0, 1)
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), Theorem 3.2, for the pair that attains each guarantee
DeltaBound optimal_composition_heterogeneous_delta_bracket(std::span<const double> epsilons,
                                                           std::span<const double> deltas, double total_epsilon,
                                                           double tolerance);
/// @param total_delta  in (0, 1)
Bound optimal_composition_heterogeneous_epsilon_bracket(std::span<const double> epsilons,
                                                        std::span<const double> deltas, double total_delta,
                                                        double tolerance);

}  // namespace dpbudget::approximate
