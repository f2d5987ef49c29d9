/// @file
/// The loss distributions of single releases, as exact pieces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/loss_distribution/releases/pair.h"
#include "dpbudget/accounting/loss_distribution/releases/pieces.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {

/// The losses of a single release, sampled or not, in the forward direction.
/// @param side  what must be rounded in the numbers of the event is rounded to this side
/// @return nothing when `event` composes several releases, or samples around a composition
/// @throws Unsupported when no theorem covers the event under the adjacency
std::optional<Pieces> release_pieces(const Event& event, Adjacency adjacency, Side side, Pair pair, const Cut& cut);

/// Whether the losses of `leaf` are finitely many numbers, infinity apart.
bool has_finite_losses(const Leaf& leaf);

/// The theorems that a node or leaf rests on; none where the definition suffices.
std::vector<std::string> theorems_of(const Event& event);

/// @throws Unsupported naming `event` and what would work instead, when a sampling scheme is not analysed under the
///         adjacency or an event has no loss distribution
void require_theorem(const Event& event, Adjacency adjacency);

}  // namespace dpbudget::loss_distribution
