/// @file
/// Where to cut a continuous loss distribution.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// @throws InvalidArgument unless both numbers are positive and finite
void check(const Cut& cut);

/// Whether what may be left out belongs to deltas so far below what a double tells from 1 that a few rare outcomes may
/// decide.
constexpr bool is_far(double tail) { return tail < 1e-37; }

/// What P alone may leave out above, when its share in the mixture (1 - rate) Q + rate P must be at most `tail`; little
/// enough for the rest to be nearly all.
/// @param rate  in (0, 1]
double tail_inside(double rate, double tail);

/// The multiples first * step, ..., last * step.
struct Multiples {
  std::int64_t first;
  std::int64_t last;
};

/// The fewest multiples of `step` that enclose [low, high].
/// @throws Unsupported when there would be more than 2^24
Multiples multiples_around(double low, double high, double step);

}  // namespace dpbudget::loss_distribution
