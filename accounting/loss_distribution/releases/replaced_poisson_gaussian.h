/// @file
/// The privacy loss of the Poisson-subsampled Gaussian mechanism where a record is replaced.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// P = (1-q) N(0, s^2) + q N(1/2, s^2) against Q = (1-q) N(0, s^2) + q N(-1/2, s^2), q = rate, s = noise_multiplier.
/// Adjacency: replace_one, the noise measured against that sensitivity. Precondition: what a record in the sample adds
/// to the released sum is at most half the sensitivity, as where contributions are clipped. Its own reverse.
/// @param rate              in (0, 1]
/// @param noise_multiplier  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
/// @source accounting/loss_distribution/proofs.md, 4e.1 and 4e.3
Pieces replaced_poisson_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut);

}  // namespace dpbudget::loss_distribution
