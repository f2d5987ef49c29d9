/// @file
/// Releases of finitely many outcomes, composed outcome by outcome.
///
/// Losses of different releases share no grid, so that each alone would lose about a mesh when it is put on one. The
/// outcomes of several together are dense, and lose about the square of a mesh only.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/loss_distribution/releases/pieces.h"

namespace dpbudget::loss_distribution {

/// Whether `pieces` are atoms, with nothing left out.
bool is_finite(const Pieces& pieces);

/// The losses of two independent finite releases together. Sums of losses that differ by no more than rounding become
/// one piece.
/// @param a, b  finite, as `is_finite` says, or products of such
Pieces product(const Pieces& a, const Pieces& b);

/// `count` independent repetitions of a finite release, at least one.
/// @return nothing when they have more than `most` pieces, or `count` exceeds it
std::optional<Pieces> power(const Pieces& base, std::uint64_t count, std::size_t most);

}  // namespace dpbudget::loss_distribution
