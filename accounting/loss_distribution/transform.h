/// @file
/// What happens around a distribution that is on a grid: participation, and what it takes to sample it.
#pragma once

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Loss 0 with chance 1 - rate, and a loss of `inner` otherwise.
/// @param inner  on a grid without offset
/// @param rate   in [0, 1]
/// @source accounting/renyi/proofs.md, 6.1; accounting/loss_distribution/proofs.md, 4.5
LossDistribution participating(const LossDistribution& inner, double rate);

/// A distribution's points as atoms, on the distribution's side: P's mass, Q's as P's times e^-loss, and what of Q is
/// then missing where P has none. Together they have no more than Q's mass of 1.
Pieces atoms_of(const LossDistribution& distribution);

}  // namespace dpbudget::loss_distribution
