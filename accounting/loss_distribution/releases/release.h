/// @file
/// The loss distributions of single releases, as exact pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {

/// The losses of a release, sampled or not, in the forward direction; also of compositions of finite releases, outcome
/// by outcome, of up to a thousand.
/// @param side  what must be rounded in the numbers of the event is rounded to this side
/// @return nothing for other compositions, and what samples around them
/// @throws Unsupported when no theorem covers the event under the adjacency
std::optional<Pieces> release_pieces(const Event& event, Adjacency adjacency, Side side, Pair pair, const Cut& cut);

/// Whether the losses of `event` are finitely many numbers, infinity apart, as far as is seen without computing them;
/// never those of a shuffle.
bool has_finite_losses(const Event& event);

/// The theorems that a node or leaf rests on under that adjacency; none where the definition suffices.
std::vector<std::string> theorems_of(const Event& event, Adjacency adjacency);

/// @throws Unsupported naming `event` and what would work instead, when a sampling scheme is not analysed under the
///         adjacency or an event has no loss distribution
/// @param accountant  the name of the one that refuses
void require_theorem(const Event& event, Adjacency adjacency, std::string_view accountant);

}  // namespace dpbudget::loss_distribution
