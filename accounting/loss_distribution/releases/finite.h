/// @file
/// Releases of finitely many outcomes, composed outcome by outcome.
///
/// Losses of different releases share no grid, so that each alone would lose about a mesh when it is put on one. The
/// outcomes of several together are dense, and lose about the square of a mesh only.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Whether `pieces` are atoms, or sums of such that only rounding tells apart, with nothing left out.
bool is_finite(const Pieces& pieces);

/// The atoms of a release with all that P and Q have in its tails, above the last and below the first, in `p_above` and
/// `q_below`, so that it may be composed as finite ones are.
/// @param pieces  with nothing left out between them
/// @return nothing where not all pieces are such atoms, or are so near each other that their tails are a million times
/// what they count for
std::optional<Pieces> with_whole_tails(Pieces pieces);

/// The losses of two independent finite releases together. Sums of losses that differ by no more than rounding become
/// one piece.
/// @param a, b  finite, as `is_finite` says, or with whole tails
Pieces product(const Pieces& a, const Pieces& b);

/// `count` independent repetitions of a finite release, or one with whole tails.
/// @return nothing where they exceed the limits
std::optional<Pieces> power(const Pieces& base, std::uint64_t count, const FiniteLimits& limits);

/// What is left of a finite distribution without the pieces that have less than `rare` under P and under Q.
Pieces without_rare(Pieces pieces, double rare);

/// Both together. With a width in the limits, sums no wider than that become atoms where both masses have them, which
/// is for the lower side.
/// @source accounting/loss_distribution/proofs.md, 4b.6
/// @return nothing where they exceed the limits
std::optional<Pieces> product(const Pieces& a, const Pieces& b, const FiniteLimits& limits);

/// A finite release that is made with probability `rate`, seen whether it is.
/// @param inner  finite
/// @param rate   in [0, 1]
Pieces participating(const Pieces& inner, double rate);

}  // namespace dpbudget::loss_distribution
