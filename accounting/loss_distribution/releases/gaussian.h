/// @file
/// The privacy loss of the Gaussian mechanism.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// P = N(1, s^2) against Q = N(0, s^2), s = noise_multiplier. Its own reverse. Adjacency: any; the noise is measured
/// against that adjacency's L2 sensitivity.
/// @param noise_multiplier  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
Pieces gaussian_pieces(double noise_multiplier, const Cut& cut);

}  // namespace dpbudget::loss_distribution
