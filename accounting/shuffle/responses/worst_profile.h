/// @file
/// Shuffled binary randomised response on its worst data sets, at many epsilons at once.
#pragma once

#include <span>
#include <vector>

namespace dpbudget::shuffle {

/// Below this local epsilon clones are as good.
inline constexpr double least_profile_epsilon = 1e-3;

/// log of delta at each epsilon, at most, whatever the bits of the others (accounting/shuffle/proofs.md, 6.4):
/// where it is above e^log_least it exceeds what some bits attain by 2e-4 (2 + |log delta|), as long as that takes less
/// than about a second; by more for more than about 1e7 reports. Adjacency: replace_one.
/// @param local_epsilon  in [1e-3, 20]
/// @param reports        an integer in [1, 2^32]
/// @param epsilons       at least one, increasing, in [0, local_epsilon)
/// @param log_least      in [-250, 0]
/// @throws InvalidArgument naming the argument outside its range
std::vector<double> worst_response_log_deltas(double local_epsilon, double reports, std::span<const double> epsilons,
                                              double log_least);

}  // namespace dpbudget::shuffle
