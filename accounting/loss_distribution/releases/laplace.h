/// @file
/// The privacy loss of the Laplace mechanism.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Laplace noise of density exp(-|z| / scale) / (2 scale) around 1 (P) and around 0 (Q): atoms at +-1/scale, and a
/// density between. Nothing is left out, so cut.tail is not used. Its own reverse. Any adjacency.
/// @param scale  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
Pieces laplace_pieces(double scale, const Cut& cut);

}  // namespace dpbudget::loss_distribution
