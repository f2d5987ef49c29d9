/// @file
/// Whose losses are counted, in which direction, and on which side of the truth.
#pragma once

namespace dpbudget::loss_distribution {

/// Which side of the truth a distribution is on. `upper`: its pair dominates the true one, so its delta is at least the
/// true delta at every epsilon. `lower`: the true pair dominates it.
enum class Side { lower, upper };

/// Which data set is told from which: `forward` is the one with the record (or before its replacement) against the
/// other, `backward` the opposite.
enum class Direction { forward, backward };

/// Whose losses: of the pair that by theorem dominates all neighbours, or of two data sets that are neighbours indeed.
/// They differ for sampling without replacement, where C_q(f) is no pair's trade-off function, for shuffling, and
/// for a bounded range.
enum class Pair {
  dominating,
  attained,
  attained_among_equals,  ///< where all other records hold what the changed one does in the second data set
};

}  // namespace dpbudget::loss_distribution
