/// @file
/// The privacy loss of randomised response.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/told_response.h"

namespace dpbudget::loss_distribution {

/// Randomised response over `categories` values, for two different true values: losses epsilon, -epsilon and, for
/// answers that are neither value, 0. Its own reverse. Any adjacency.
/// @param epsilon     in [0, inf)
/// @param categories  in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
Pieces randomized_response_pieces(double epsilon, std::uint64_t categories);

/// The same of any report that tells a response with some probability.
/// @source accounting/plan/proofs.md, 7.1
Pieces told_response_pieces(const ToldResponse& response);

}  // namespace dpbudget::loss_distribution
