/// @file
/// The loss distributions of single releases, as exact pieces.
#pragma once

#include <optional>

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

/// Whether the losses of `event` are finitely many numbers, but for tails: also of discrete Gaussian noise, sampled or
/// not, that is no larger than to have some ten thousand losses of any weight.
bool has_few_losses(const Event& event);

/// Whose losses `inner` has in a sample that may lack the record, where those of `pair` are asked for around it. What
/// shuffled batches attain tells a record that is blanked from one that is absent, and such a sample does not.
Pair pair_inside_sample(Pair pair, const Event& inner);

}  // namespace dpbudget::loss_distribution
