/// @file
/// The privacy loss of shuffled reports.
///
/// Pieces here are cells of the loss that hold outcomes for many numbers of clones. Numbers that are next to each other
/// are treated as one: as the smallest on the upper side, which shows more, and as the largest on the lower side
/// (accounting/shuffle/proofs.md, 1.6).
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"

namespace dpbudget::loss_distribution {

/// A clone pair, which dominates the shuffled reports it belongs to. Its own reverse. Adjacency: replace_one.
/// @param side  upper: a pair that dominates the clone pair; lower: one that it dominates. They approach each other
///              with the square of cut.step.
/// @throws Unsupported beyond about 2^32 clones
Pieces clone_pieces(const shuffle::ClonePair& pair, Side side, const Cut& cut);

/// A pair that the hidden pair dominates, as on the lower side above. Its own reverse.
Pieces hidden_pair_pieces(const shuffle::HiddenPair& pair, const Cut& cut);

}  // namespace dpbudget::loss_distribution
