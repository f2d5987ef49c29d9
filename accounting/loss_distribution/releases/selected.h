/// @file
/// The losses of the best of a random number of runs.
#pragma once

#include <cstddef>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/numeric/generating_function.h"
#include "dpbudget/accounting/plan/trials.h"

namespace dpbudget::loss_distribution {

/// @param trials  of a known mean, not 0
numeric::GeneratingFunction generating_function(const Trials& trials);

/// From (P, Q), one run's pair, to a pair that dominates the best of K runs, whatever the score.
/// @param inner  atoms of a pair that dominates one run, none of P's mass lost; Q's is where P has none, or is 1 less
/// @param runs   of K
/// @param cut    of the result
/// @throws Unsupported where a mesh takes too many pairs of outcomes
/// @source accounting/loss_distribution/proofs.md, 4i.1 to 4i.5
Pieces selected(const Pieces& inner, const numeric::GeneratingFunction& runs, const Cut& cut);

/// The same merged instead of spread: how much the mesh costs, and no bound by itself.
Pieces selected_merged(const Pieces& inner, const numeric::GeneratingFunction& runs, const Cut& cut);

/// A pair that is attained: the best of K runs whose score is how far from 0 the loss is.
/// @param inner  atoms of a pair that one run's dominates
/// @source accounting/loss_distribution/proofs.md, 4i.6
Pieces selected_by_loss(const Pieces& inner, const numeric::GeneratingFunction& runs, const Cut& cut);

/// More outcomes of `inner` than this take long.
inline constexpr std::size_t most_selected = 1024;

}  // namespace dpbudget::loss_distribution
