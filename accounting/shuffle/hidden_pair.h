/// @file
/// The clone pair where the first user's report tells something with some probability only, and whether it does stays
/// hidden.
#pragma once

#include "dpbudget/accounting/shuffle/clones.h"

namespace dpbudget::shuffle {

/// The numbers of reports of two values x and x', of which each of the other users sends either with equal probability
/// and C do in all. The first user sends x or x' with probability `share`, at the odds of an epsilon_0-DP randomiser,
/// and else neither. Shuffled k-ary randomised response for k >= 3 shows at least this when all others hold a third
/// value.
struct HiddenPair {
  double local_epsilon;  ///< epsilon_0, in (0, inf)
  CloneCount count;
  double share;  ///< in (0, 1]
};

/// log of the hockey-stick divergence of the pair, the same in both directions: exact, but for rounding.
///
/// Given m reports of x and x' the pair is mu_m (w + v tau X) against mu_m (w - v tau X), v = share P(C = m - 1) and
/// w = v + (1 - share) P(C = m).
/// @param epsilon  in [0, inf)
LogBracket log_delta(const HiddenPair& pair, double epsilon);

}  // namespace dpbudget::shuffle
