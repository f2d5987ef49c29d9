/// @file
/// The privacy loss of a Gaussian mechanism on a batch that is drawn with replacement, where the neighbour holds but
/// one kind of record.
#pragma once

#include <optional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::loss_distribution {

/// The mixture of N(k, s^2), k being how often one record of `draws` is drawn, against N(0, s^2), s = noise_multiplier:
/// a record against a neighbour all of whose records are on the other side. Data sets attain it; numbers of draws too
/// rare to matter count as none, which it dominates.
/// @param draws             known
/// @param noise_multiplier  in (0, inf)
/// @return nothing where more than 64 numbers of draws matter, or none does
/// @throws InvalidArgument naming the argument outside its range; Unsupported when 2^24 cells do not suffice
/// @source accounting/loss_distribution/proofs.md, 4f.2
std::optional<Pieces> drawn_gaussian_pieces(const Draws& draws, double noise_multiplier, const Cut& cut);

}  // namespace dpbudget::loss_distribution
