/// @file
/// The privacy loss of shuffled binary randomised response among equal values.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Shuffled binary randomised response where all other users hold 0: the number of ones is Bin(n - 1, 1 / (1 + e^e))
/// and one report at the odds e^e or e^-e. Neighbours that differ from each other; not the worst ones. As on the lower
/// side.
/// @param local_epsilon  e, in (0, inf)
/// @param reports        n, an integer in [1, 2^53]
Pieces shuffled_zeros_pieces(double local_epsilon, double reports, const Cut& cut);

}  // namespace dpbudget::loss_distribution
