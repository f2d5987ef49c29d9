/// @file
/// Composition of (epsilon, delta)-DP mechanisms by closed forms.
///
/// The mechanisms may be chosen adaptively. Adjacency: any, that of the mechanisms.
#pragma once

#include <span>

#include "dpbudget/accounting/base/epsilon_delta.h"

namespace dpbudget::approximate {

/// The sum of the epsilons and the sum of the deltas, the latter at most 1.
/// @param epsilons  each in [0, inf)
/// @param deltas    as many, each in [0, 1]
/// @throws InvalidArgument naming the argument outside its range, or the lists of different lengths
/// @source Dwork, Roth 2014, Theorem 3.16
EpsilonDelta basic_composition(std::span<const double> epsilons, std::span<const double> deltas);

/// epsilon sqrt(2 count log(1/slack)) + count epsilon (e^epsilon - 1), and count delta + slack: the theorem's own
/// numbers, of which a delta above 1 says nothing.
/// @param epsilon  in [0, inf)
/// @param delta    in [0, 1]
/// @param count    an integer in [0, 2^53]
/// @param slack    in (0, 1]
/// @return relative error below 1e-14
/// @throws InvalidArgument naming the argument outside its range
/// @source Dwork, Rothblum, Vadhan 2010, Theorem III.3
EpsilonDelta advanced_composition(double epsilon, double delta, double count, double slack);

/// The smallest of the sum of the epsilons, A + sqrt(2 Q log(e + sqrt(Q) / slack)) and A + sqrt(2 Q log(1 / slack)),
/// with A the sum of epsilon (e^epsilon - 1) / (e^epsilon + 1) and Q that of epsilon^2.
/// @param epsilons  each in [0, inf)
/// @param slack     in [0, 1]
/// @return relative error below 1e-14 times the number of epsilons
/// @throws InvalidArgument naming the argument outside its range
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), Theorem 3.5
double kairouz_heterogeneous_epsilon(std::span<const double> epsilons, double slack);

/// log of the delta that goes with it, 1 - (1 - slack) times the product of the 1 - delta.
/// @param deltas  each in [0, 1]
double kairouz_heterogeneous_log_delta(std::span<const double> deltas, double slack);

/// `count` mechanisms that are epsilon-DP but for failures.
struct Equal {
  double epsilon;
  double count;
};

/// The same epsilon for groups of equal mechanisms, rounded up; infinity where one epsilon is.
double kairouz_heterogeneous_epsilon_bound(std::span<const Equal> groups, double slack);

}  // namespace dpbudget::approximate
