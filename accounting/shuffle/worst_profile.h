/// @file
/// Shuffled binary randomised response on its worst data sets, at many epsilons at once.
#pragma once

#include <span>
#include <vector>

namespace dpbudget::shuffle {

/// The least local epsilon, and the most reports, for which the profile is worth having.
struct ProfileReach {
  static constexpr double least_local_epsilon = 1e-3;
  static constexpr double most_local_epsilon = 20;
  static constexpr double most_reports = 0x1p32;
  static constexpr double least_log_delta = -250;
};

/// log of delta at each epsilon, at most, whatever the bits of the others (proofs.md, section 6): where it is above
/// e^log_least it exceeds what some bits attain by 2e-4 (2 + |log delta|), as long as that takes less than a quarter of
/// a second; by more for more than about 1e7 reports.
/// Adjacency: replace_one.
/// @param local_epsilon  in [1e-3, 20]
/// @param reports        an integer in [1, 2^32]
/// @param epsilons       at least one, increasing, in [0, local_epsilon)
/// @param log_least      in [-250, 0]
/// @throws InvalidArgument naming the argument outside its range
std::vector<double> worst_response_log_deltas(double local_epsilon, double reports, std::span<const double> epsilons,
                                              double log_least);

}  // namespace dpbudget::shuffle
