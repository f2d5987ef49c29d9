/// @file
/// A pair that dominates the Gaussian mechanism on a sample drawn without replacement.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The pair whose trade-off function is C_q(G_{1/s}), q = rate, s = noise_multiplier. Its losses above 0 are those of
/// (1-q) Q + q P against Q for the Gaussian pair P, Q; those below 0 are their mirror image; outcomes that neither half
/// needs have loss 0. Its own reverse. Adjacency: replace_one, the noise measured against that sensitivity.
/// @param rate              in (0, 1]
/// @param noise_multiplier  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2
Pieces without_replacement_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut);

}  // namespace dpbudget::loss_distribution
