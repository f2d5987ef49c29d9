/// @file
/// The privacy loss of the worst mechanism that an (epsilon, delta) guarantee allows.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The pair that dominates every (epsilon, delta)-DP mechanism: with probability delta the outcome gives the input
/// away, else it is binary randomised response of epsilon. Its own reverse. Any adjacency.
/// @param epsilon  in [0, inf)
/// @param delta    in [0, 1]; 0 is pure DP
/// @throws InvalidArgument naming the argument outside its range
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), the mechanism that the proof of Theorem 3.3 composes
Pieces approximate_dp_pieces(double epsilon, double delta);

}  // namespace dpbudget::loss_distribution
