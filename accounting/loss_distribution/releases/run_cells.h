/// @file
/// The outcomes of one of the runs that are selected from, divided into cells.
#pragma once

#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/numeric/generating_function.h"

namespace dpbudget::loss_distribution {

/// An outcome of one run, and what is below and above it; what only one of P and Q has lies below or above all.
struct RunCell {
  double loss;
  double p;
  double q;
  double p_below = 0;
  double q_below = 0;
  double p_above = 0;
  double q_above = 0;
};

/// All outcomes of one run.
struct RunCells {
  std::vector<RunCell> cells;  ///< in increasing order of loss
  double p_only = 0;           ///< mass of P where Q has none
  double q_only = 0;
};

/// What the masses of atoms may lack of 1 by rounding alone.
double left_by_rounding(const Pieces& inner);

/// Atoms as probabilities: of P what is more than 1 is taken from the lowest losses, of Q what is missing is where P
/// has none.
/// @throws Unsupported when no loss is finite
/// @source accounting/loss_distribution/proofs.md, 4i.4
RunCells probabilities(const Pieces& inner);

/// The same with P and Q exchanged.
RunCells mirrored(const RunCells& law);

/// Every outcome divided so finely that little moves within a part.
/// @param step  of the grid that the best run's losses go to
/// @throws Unsupported when that takes too many parts
/// @source accounting/loss_distribution/proofs.md, 4i.3
RunCells divided(RunCells law, const numeric::GeneratingFunction& runs, double step);

/// What is certainly between atoms of a pair and its missing masses: a pair of probabilities, all outcomes known.
/// @source accounting/loss_distribution/proofs.md, 4i.6
RunCells completed(const Pieces& inner);

}  // namespace dpbudget::loss_distribution
