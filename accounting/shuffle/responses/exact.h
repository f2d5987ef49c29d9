/// @file
/// The privacy of a shuffled protocol of few users and few outputs, by counting: the referee of every bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dpbudget::shuffle {

/// The exact delta of a shuffler that releases how often each of finitely many outputs was reported, when one user runs
/// `r0` or `r1` and every other user runs `others`: the larger of the sums over histograms of (P0 - e^epsilon P1)_+ and
/// (P1 - e^epsilon P0)_+. Adjacency: replace_one, for this pair of data sets.
///
/// @param r0       probabilities of the outputs, one to 1024 of them, each in [0, 1], with sum 1 up to 1e-9; they are
///                 divided by their sum
/// @param r1       likewise, of the same length
/// @param others   likewise
/// @param reports  how many users there are, in [1, 2^53], at most 2^22 histograms of them
/// @param epsilon  in [0, inf)
/// @return relative error below 1e-10, or 1e-16 absolute where P0 and e^epsilon P1 nearly agree everywhere
/// @throws InvalidArgument naming the argument outside its range; Unsupported when there are more histograms
double exact_delta(std::span<const double> r0, std::span<const double> r1, std::span<const double> others,
                   std::uint64_t reports, double epsilon);

/// The same where every other user has probabilities of its own: others.size() + 1 reports.
/// @throws InvalidArgument, Unsupported likewise, and when the count takes more than 2^34 steps
double exact_delta(std::span<const double> r0, std::span<const double> r1, std::span<const std::vector<double>> others,
                   double epsilon);

}  // namespace dpbudget::shuffle
