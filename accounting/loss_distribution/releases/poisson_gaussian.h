/// @file
/// The privacy loss of the Poisson-subsampled Gaussian mechanism.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// P = (1-q) N(0, s^2) + q N(1, s^2) against Q = N(0, s^2), q = rate, s = noise_multiplier: removing a record;
/// `reversed` is adding one. Adjacency: add_or_remove_one and zero_out_one.
/// @param rate              in (0, 1]
/// @param noise_multiplier  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
/// @source Mironov, Talwar, Zhang 2019 (arXiv:1908.10530), section 3
Pieces poisson_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut);

}  // namespace dpbudget::loss_distribution
