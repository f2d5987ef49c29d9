/// @file
/// The privacy loss of the Laplace mechanism, sampled or not.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Laplace noise of density exp(-|z| / scale) / (2 scale) around 1 (P) and around 0 (Q): atoms at +-1/scale, and a
/// density between. Nothing is left out, so cut.tail is not used. Its own reverse. Any adjacency.
/// @param scale  in (0, inf)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
Pieces laplace_pieces(double scale, const Cut& cut);

/// P = (1-q) Q + q P' against Q for P' and Q as above, q = rate, cut by the mixture's own losses: a rare one's are so
/// small that the release's would be cut far too finely. Removing a record; `reversed` is adding one. Adjacency:
/// add_or_remove_one and zero_out_one.
/// @param rate   in (0, 1]
/// @param scale  in (0, inf)
/// @throws as above
/// @source accounting/loss_distribution/proofs.md, 4.1 and 4.2a
Pieces poisson_laplace_pieces(double rate, double scale, const Cut& cut);

/// The pair that dominates samples of a fixed size. Adjacency: replace_one. Otherwise the same.
/// @source Dong, Roth, Su 2019, Theorem 4.2; accounting/loss_distribution/proofs.md, 4.2a and 4.4
Pieces without_replacement_laplace_pieces(double rate, double scale, const Cut& cut);

}  // namespace dpbudget::loss_distribution
