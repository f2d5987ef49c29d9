/// @file
/// Shuffled binary randomised response on its worst data sets.
///
/// What the shuffler shows is the number of ones; it depends on how many of the others hold a one, and which number is
/// worst depends on epsilon and on where the threshold falls between integers. So the worst case is enclosed: from
/// below by the others all holding the same bit, from above by blocks of numbers, over which the bits of as many users
/// are left out as the block is wide (accounting/shuffle/proofs.md, 6.3).
/// Adjacency: replace_one.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// log of delta over all data sets of the others, between two proven bounds.
/// @param local_epsilon  in (0, 650]; above 20 the upper bound is that of the stronger clones
/// @param reports        an integer in [1, 2^53]; above 2^32 likewise, and where delta is below e^-250
/// @param epsilon        in [0, inf)
/// @throws InvalidArgument naming the argument outside its range
numeric::Bracket randomized_response_log_delta_bracket(double local_epsilon, double reports, double epsilon);

/// The smallest epsilon at which delta is at most `delta`, between two proven bounds: 3e-4 apart for up to 1e5 reports
/// of local_epsilon 0.5 and more, 9e-4 for 1e6, and 3 percent for 1e9.
/// @param delta  in (0, 1); below e^-250 the upper bound is that of the stronger clones
numeric::Bracket randomized_response_epsilon_bracket(double local_epsilon, double reports, double delta);

}  // namespace dpbudget::shuffle
