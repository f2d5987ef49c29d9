/// @file
/// The privacy loss of shuffled binary randomised response, whatever the others hold.
#pragma once

#include <optional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Whether `shuffled_response_pieces` takes these arguments.
bool has_shuffled_response_pieces(double local_epsilon, double reports, double tail);

/// The distance between the losses of `shuffled_response_pieces`, if they are on one grid.
std::optional<double> shuffled_response_spacing(double local_epsilon, double reports, double tail);

/// A pair, its own reverse, that dominates shuffled binary randomised response on every two neighbouring data sets, and
/// so in compositions too (accounting/shuffle/proofs.md, 6.5). Far closer than the clones, which show who is one.
/// Its profile is that of the worst data sets at 321 epsilons, the last of them one where it is below `tail`, which
/// is put at infinity, and linear in e^epsilon between. Adjacency: replace_one.
/// @param local_epsilon  in [1e-3, 20]
/// @param reports        an integer in [1, 2^32]
/// @param tail           in [e^-250, inf)
/// @throws InvalidArgument naming the argument outside its range
Pieces shuffled_response_pieces(double local_epsilon, double reports, double tail);

}  // namespace dpbudget::loss_distribution
