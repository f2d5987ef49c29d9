/// @file
/// The privacy loss of randomised response.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Randomised response over `categories` values, for two different true values: losses epsilon, -epsilon and, for
/// answers that are neither value, 0. Its own reverse. Any adjacency.
/// @param epsilon     in [0, inf)
/// @param categories  in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
Pieces randomized_response_pieces(double epsilon, std::uint64_t categories);

}  // namespace dpbudget::loss_distribution
