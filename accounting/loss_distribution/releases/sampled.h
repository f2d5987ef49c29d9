/// @file
/// What sampling does to the losses of a release: the pair behind them is changed, and they with it.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// From (P, Q) to ((1-q) Q + q P, Q): Poisson sampling, the data set with the record against the one without it. For
/// the opposite order use `reversed` before and after.
/// @param rate  q in [0, 1]
/// @param tail  as Cut::tail, of the mixture: what it allows to leave out at the top is left out, if it `is_far`
/// @source formulas: delta'(e) = q delta(log(1 + (exp(e) - 1) / q)) for exp(e) > 1-q, else 1 - exp(e);
///         Balle, Barthe, Gaboardi 2018, Theorem 8
Pieces poisson_sampled(Pieces pieces, double rate, double tail);

/// The pair whose trade-off function is C_q(f), f that of a symmetric pair: sampling without replacement of a fixed
/// number of records, one of them replaced. Only the positive losses of `pieces` are read: the rest follows by
/// symmetry.
/// @param rate  q in [0, 1]
/// @param tail  as of `poisson_sampled`, at either end
/// @source Dong, Roth, Su 2019, Theorem 4.2; delta'(e) = q delta(log(1 + (exp(e) - 1) / q)) for e >= 0
Pieces without_replacement(const Pieces& pieces, double rate, double tail);

}  // namespace dpbudget::loss_distribution
