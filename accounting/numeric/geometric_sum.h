/// @file
/// Sums over many numbers next to each other by a few of them.
#pragma once

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::numeric {

/// 1 + r + ... + r^(numbers - 1) for r = 1 - fall.
/// @param fall     at most 1; negative where terms rise
/// @param numbers  at least 1
/// @return relative error below 2^-60 numbers, and a few units of the last place
/// @source accounting/shuffle/proofs.md, 1.4
inline Extended geometric_sum(Extended fall, double numbers) {
  return fall == 0 ? Extended(numbers) : -extended::expm1(numbers * extended::log1p(-fall)) / fall;
}

/// 1 + e^x + ... + e^((numbers - 1) x).
/// @return relative error below 3 `unit` of numeric/rounding.h, that of x apart
inline double exponential_sum(double x, double numbers) {
  return x == 0 ? numbers : std::expm1(numbers * x) / std::expm1(x);
}

/// From this deviation on a law's masses are not visited one by one but in jumps, of a share of the distance over which
/// they change by a factor e.
inline constexpr double least_smooth_deviation = 0x1p15;

/// The share for a relative accuracy: sums between geometric series are off by about its square.
inline double jump_share(double accuracy) { return std::clamp(8 * std::sqrt(accuracy), 0x1p-10, 0x1p-5); }

}  // namespace dpbudget::numeric
