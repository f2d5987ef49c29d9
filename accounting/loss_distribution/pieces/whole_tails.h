/// @file
/// All that the pieces of a distribution leave out, where it may not count at the lowest loss.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Masses that are cut off.
struct CutOff {
  double p;  ///< of P
  double q;  ///< of Q
};

/// What P and Q have above the last piece and below the first together, at most.
/// @param pieces  at least one, with nothing left out between them
/// @source accounting/loss_distribution/proofs.md, 4f.1
CutOff whole_tails(const Pieces& pieces);

}  // namespace dpbudget::loss_distribution
