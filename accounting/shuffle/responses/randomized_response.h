/// @file
/// Shuffled randomised response on one fixed pair of neighbours: what no bound on shuffling may go below.
#pragma once

#include <cstdint>

namespace dpbudget::shuffle {

/// log of the exact delta of shuffled binary randomised response between the data sets in which everyone holds 0 and in
/// which one user holds 1. With A ~ Bin(reports, 1 / (1 + e^local_epsilon)) the number of ones under the first, the
/// ratio of the two is the straight line e^-local_epsilon + 2 sinh(local_epsilon) A / reports, so that both directions
/// are the expected excess of a binomial variable over a threshold.
///
/// Adjacency: replace_one. A lower bound for every theorem about shuffled local_epsilon-DP reports.
/// @param local_epsilon  in [0, inf)
/// @param reports        the number of users, in [1, 2^53]
/// @param epsilon        in [0, inf)
/// @return relative error of delta below 1e-12 + 1e-14 |result|; -infinity for epsilon >= local_epsilon
/// @throws InvalidArgument naming the argument outside its range
/// @source Balle, Bell, Gascon, Nissim 2019 (arXiv:1903.02837), section 5, for the ratio
double randomized_response_log_delta(double local_epsilon, std::uint64_t reports, double epsilon);

/// A proven lower end of the same (accounting/shuffle/proofs.md, 6.2), less far below than log_concave_tail's ends are
/// apart; -infinity where rounding leaves nothing.
double randomized_response_log_delta_lower(double local_epsilon, std::uint64_t reports, double epsilon);

/// The same delta itself; 0 below the range of a double.
double randomized_response_delta(double local_epsilon, std::uint64_t reports, double epsilon);

}  // namespace dpbudget::shuffle
