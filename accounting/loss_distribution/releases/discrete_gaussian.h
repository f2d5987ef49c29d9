/// @file
/// The privacy loss of the discrete Gaussian mechanism.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Integer noise with P(z) proportional to exp(-z^2 / (2 sigma^2)) around 1 (P) and around 0 (Q): outcome z has the
/// loss (2z - 1) / (2 sigma^2). Atoms only, so cut.step is not used. Its own reverse. Any adjacency.
/// @param sigma  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range, or a sigma whose atoms are more than 2^24
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Definition 1
Pieces discrete_gaussian_pieces(double sigma, const Cut& cut);

}  // namespace dpbudget::loss_distribution
