/// @file
/// Plans that release one set of shuffled reports and nothing else, or several of few reports.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::exact {

/// @param rounds  at least 1
/// @throws Unsupported for any adjacency but replace_one, for local randomisers that are not pure DP, and for several
///         rounds unless there are few and of few reports
void require_shuffled_theorem(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds);

/// A bracket around the smallest epsilon of `rounds` sets of reports at `delta`. For randomised response (and discrete
/// Laplace noise) of few reports every data set is gone through (shuffle/responses/few_reports.h), also those that are
/// chosen after having seen the rounds before. Otherwise the upper end is that of the reports' clones, or blanket; for
/// binary randomised response it is that of the worst data sets, enclosed. The lower end is that of data sets that are
/// neighbours, where such are known: of randomised response, frequency oracles and Laplace noise, and of the worst
/// randomisers that pure DP allows; 0 otherwise.
/// @param rounds  at least 1
/// @param delta   in (0, 1)
/// @throws Unsupported as above
Bound shuffled_epsilon(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds, double delta);

/// The same for delta at `epsilon`, in [0, inf).
DeltaBound shuffled_delta(const Shuffled& event, Adjacency adjacency, std::uint64_t rounds, double epsilon);

}  // namespace dpbudget::exact
