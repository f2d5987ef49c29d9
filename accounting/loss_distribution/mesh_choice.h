/// @file
/// Which mesh is taken where one of some width is wished for.
#pragma once

#include "dpbudget/accounting/loss_distribution/outline.h"

namespace dpbudget::loss_distribution {

/// How many choices there are: none is best for all plans.
inline constexpr int turns = 3;

/// No wider than the wish: the wish itself, a part of the lattice that the losses are on, or of one that they
/// come nearest to.
/// @param wish  positive
/// @param turn  in [0, turns)
double chosen_mesh(double wish, const Lattice& lattice, int turn);

}  // namespace dpbudget::loss_distribution
