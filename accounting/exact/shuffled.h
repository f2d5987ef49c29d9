/// @file
/// Plans that release one set of shuffled reports and nothing else.
#pragma once

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::exact {

/// @throws Unsupported for any adjacency but replace_one, and for local randomisers that are not pure DP
void require_shuffled_theorem(const Shuffled& event, Adjacency adjacency);

/// A bracket around the smallest epsilon at `delta`. The upper end is that of the reports' clones; for binary
/// randomised response it is that of the worst data sets, enclosed. The lower end is that of data sets that are
/// neighbours, where such are known: of randomised response, and of the worst randomiser that pure DP allows; 0
/// otherwise.
/// @param delta  in (0, 1)
/// @throws Unsupported as above
Bound shuffled_epsilon(const Shuffled& event, Adjacency adjacency, double delta);

/// The same for delta at `epsilon`, in [0, inf).
DeltaBound shuffled_delta(const Shuffled& event, Adjacency adjacency, double epsilon);

}  // namespace dpbudget::exact
