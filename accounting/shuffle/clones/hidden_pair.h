/// @file
/// The clone pair where the first user's report tells something with some probability only, and whether it does stays
/// hidden.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// The numbers of reports of two values x and x', of which each of the other users sends either with equal probability
/// and C do in all. The first user sends x or x' with probability `share`, at the odds of an epsilon_0-DP randomiser,
/// and else neither. Shuffled k-ary randomised response for k >= 3 shows at least this when all others hold a third
/// value.
struct HiddenPair {
  double local_epsilon;  ///< epsilon_0, in (0, 708]
  CloneCount count;
  double share;   ///< in (0, 1]
  double absent;  ///< (1 - share) / share, which cancels: relative error at most two units

  /// The first report is among those of x and x', given C = c in all but it, this much less likely than where it always
  /// is: absent P(C = c + 1) / P(C = c).
  double dilution(double c) const;
  /// Its relative error.
  double dilution_error() const;
};

/// log of the hockey-stick divergence of the pair, the same in both directions, between two proven bounds: exact, but
/// for rounding. The lower one is -infinity where rounding hides whether the divergence is 0.
///
/// Given m reports of x and x' the pair is mu_m (w + v tau X) against mu_m (w - v tau X), v = share P(C = m - 1) and
/// w = v + (1 - share) P(C = m).
/// @param epsilon  in [0, inf)
numeric::Bracket log_delta(const HiddenPair& pair, double epsilon);

/// Lower bounds on `log_delta` at many epsilons: numbers of clones are taken in blocks, as the largest number and at
/// the level of the smallest, which costs some 1e-4 of epsilon.
class HiddenPairFloor {
 public:
  explicit HiddenPairFloor(const HiddenPair& pair);

  /// @param epsilon  in [0, inf)
  double log_delta(double epsilon) const;

 private:
  HiddenPair pair_;
  CloneBlocks found_;
};

}  // namespace dpbudget::shuffle
