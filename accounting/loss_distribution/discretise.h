/// @file
/// From pieces of a loss distribution to masses on a grid, on either side of the truth.
#pragma once

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The distribution of the pieces' P-mass on `grid`.
///
/// Upper: connect the dots. A piece between two grid points is split between them so that its mass under P and under Q
/// is kept; delta at the grid points is exact, and between them the chord, in e^epsilon, of a convex function. Mass
/// beyond the last piece goes to infinity, mass below the first is moved up to the lowest point.
///
/// Lower: outcomes are merged into cells whose barycentres fall on the grid. Merging is post-processing, so the result
/// is dominated by the true pair; what it costs is the variance within a cell. An atom may be divided among two cells:
/// that is post-processing with a coin.
///
/// Both lose an expectation of the order of mesh^2 where the losses have a density, and nothing where atoms fall on the
/// grid. Atoms off the grid cost the lower side an expectation of the order of the mesh itself.
///
/// Errors of the pieces and of rounding are put on the distribution's own side
/// (accounting/loss_distribution/proofs.md, 2.1).
/// @param rare  the lower side gives no outcomes up to balance what holds most of P, far away, where this is more than
///              the delta at their loss: some times what is asked for
/// @throws Unsupported when the grid would hold more than 2^24 points, for a mesh below 2^-1000, and for losses beyond
///         1e290
/// @source upper: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, Algorithm 1
LossDistribution discretise(const Pieces& pieces, const Grid& grid, Side side, double rare = 0);

}  // namespace dpbudget::loss_distribution
