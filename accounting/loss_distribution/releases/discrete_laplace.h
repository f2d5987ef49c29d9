/// @file
/// The privacy loss of the discrete Laplace mechanism.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// An integer of sensitivity 1 plus integer noise with P(z) proportional to exp(-|z| / scale): binary randomised
/// response of epsilon 1/scale. The loss is 1/scale where the outcome is at least the larger integer, which has
/// probability 1 / (1 + e^{-1/scale}) under P, and -1/scale elsewhere. Any adjacency.
/// @param scale  in (0, inf), 1/scale finite
/// @throws InvalidArgument naming the argument outside its range
/// @source Ghosh, Roughgarden, Sundararajan 2009 (arXiv:0811.2841), for the mechanism
Pieces discrete_laplace_pieces(double scale);

}  // namespace dpbudget::loss_distribution
