/// @file
/// Atoms of a loss distribution moved apart to where their sums meet.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Each atom as two at the multiples of `step` around it, so that its mass under P and under Q is kept. They dominate
/// it in both directions: to merge them is post-processing.
/// @param atoms  of which only rounding tells their ends apart
/// @param step   a power of two, so that multiples of it have no rounding
/// @source accounting/loss_distribution/proofs.md, 4b.6
Pieces spread(Pieces atoms, double step);

}  // namespace dpbudget::loss_distribution
