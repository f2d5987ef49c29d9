/// @file
/// What sampling does to a loss distribution: the pair behind it is changed, and its losses with it.
#pragma once

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/pieces.h"

namespace dpbudget::loss_distribution {

/// From (P, Q) to ((1-q) Q + q P, Q): Poisson sampling, the data set with the record against the one without it. For
/// the opposite order use `reversed` before and after.
/// @param rate  q in [0, 1]
/// @source formulas: delta'(e) = q delta(log(1 + (exp(e) - 1) / q)) for exp(e) > 1-q, else 1 - exp(e);
///         Balle, Barthe, Gaboardi 2018, Theorem 8
Pieces poisson_sampled(Pieces pieces, double rate);

/// The pair whose trade-off function is C_q(f), f that of a symmetric pair: sampling without replacement of a fixed
/// number of records, one of them replaced. Only the positive losses of `pieces` are read: the rest follows by
/// symmetry.
/// @param rate  q in [0, 1]
/// @source Dong, Roth, Su 2019, Theorem 4.2; delta'(e) = q delta(log(1 + (exp(e) - 1) / q)) for e >= 0
Pieces without_replacement(const Pieces& pieces, double rate);

/// Loss 0 with chance 1 - rate, and a loss of `inner` otherwise.
/// @param inner  on a grid without offset
/// @param rate   in [0, 1]
/// @source accounting/renyi/proofs.md, section 6
LossDistribution participating(const LossDistribution& inner, double rate);

/// A distribution's points as atoms, on the distribution's side: P's mass, Q's as P's times e^-loss, and what of Q is
/// then missing where P has none. Together they have no more than Q's mass of 1.
Pieces atoms_of(const LossDistribution& distribution);

}  // namespace dpbudget::loss_distribution
