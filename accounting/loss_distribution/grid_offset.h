/// @file
/// Where the grid of one release begins, in a composition whose releases may each have their own.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// At two atoms; or in far tails so that the piece which holds most of P, as a rare sample has one, is at a point.
/// Beside one, below, it would take all that is rare to balance it.
double offset_for(const Pieces& pieces, double mesh, double tail);

/// At an atom, so that atoms lose least together: where they fall between points the lower side takes them down to the
/// next one. Of few releases a mesh can pass through the atoms of all.
double offset_for_atoms(const Pieces& pieces, double mesh);

}  // namespace dpbudget::loss_distribution
