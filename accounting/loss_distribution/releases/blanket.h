/// @file
/// The privacy loss of shuffled reports of one given local randomiser, from its blanket's profile.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

namespace dpbudget::loss_distribution {

/// An upper bound on delta at epsilon.
struct ProfilePoint {
  double epsilon;
  double delta;
};

/// A pair, its own reverse, that dominates every mechanism whose delta is at most that of each point, in both
/// directions: atoms at plus and minus the points' epsilons, at 0 and at infinity. Its profile is piecewise linear in
/// e^epsilon; at the points it exceeds convex ones by rounding alone. Points close to 0 that would leave no mass at 0
/// are not used.
/// @param points  at least two, epsilons increasing from 0 to at most 700, deltas in [0, 1]
/// @throws InvalidArgument naming the point outside its range
/// @source accounting/shuffle/blanket/proofs.md, 7.1
Pieces dominating_pieces(std::span<const ProfilePoint> points);

/// A pair, its own reverse, that dominates the shuffled reports, and so do its compositions. The points are those of
/// shuffle::shuffled_log_delta_bound at multiples of about cut.step, 32 to 128 of them, up to where it is
/// cut.tail; the rest of delta is put at infinity. On the lower side of a grid the same pair tells what the grid loses,
/// and nothing of the reports. Proven where `randomizer.unproven` is empty. Adjacency: replace_one.
/// @param reports  n, in [1, 2^53]
/// @throws InvalidArgument naming the argument outside its range; Unsupported where no epsilon reaches cut.tail
Pieces blanket_pieces(const shuffle::Randomizer& randomizer, std::uint64_t reports, const Cut& cut);

}  // namespace dpbudget::loss_distribution
