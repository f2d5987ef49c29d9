/// @file
/// A loss distribution of many pieces as few atoms, on one side of the truth.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/atoms.h"
#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::contour {

/// How much may be merged.
struct Merging {
  double c;         ///< the order at which the atoms' transform is wanted, at least 0
  double variance;  ///< what the atoms may add to or take from that of the tilted loss, roughly
};

/// The atoms that stand for a distribution.
struct Merged {
  std::vector<Atom> atoms;  ///< empty where all outcomes tell everything or nothing
  double at_infinity;
};

/// Neighbouring pieces become one group: on the upper side its masses of P and Q are spread to both its ends, on the
/// lower side they lie at its barycentre (accounting/contour/proofs.md, 7.1;
/// accounting/loss_distribution/proofs.md, 1.2 to 1.4).
/// @return exact doubles, all errors on the side's own side
Merged merged(const loss_distribution::Pieces& pieces, loss_distribution::Side side, const Merging& merging);

}  // namespace dpbudget::contour
