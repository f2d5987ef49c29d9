/// @file
/// Shuffled batches of a Gaussian from below: what the largest of their outputs shows.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Losses that neighbours under zero_out_one certainly have: those of the largest output, in cells, where every other
/// record adds -1 and the one in question 1, or nothing. In the direction from the first to the second.
/// @param noise  in (0, inf), against what one record adds at most, rounded up
/// @param steps  batches, at least 2
/// @return nothing where the noise is below 0.05 or above 10^6, or a double does not tell the cells apart
/// @source Chua et al. 2024 (arXiv:2403.17673), Theorem 4.2; accounting/loss_distribution/proofs.md, 4j.1
std::optional<Pieces> largest_batch_pieces(double noise, std::uint64_t steps, const Cut& cut);

}  // namespace dpbudget::loss_distribution
