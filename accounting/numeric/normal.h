/// @file
/// Tails of the standard normal distribution that keep their digits far out.
#pragma once

#include <cmath>
#include <numbers>

namespace dpbudget::numeric {

/// log sqrt(2 pi)
inline constexpr double log_root_two_pi = 0.91893853320467274178;

/// P(Z > x). Relative error below (2 + x^2 / 8) * 2^-49 for x > 0 where the value is above 1e-290, else below 2^-48.
inline double upper_tail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

/// P(from < Z < to) for from <= to, as a difference of tails on the side where they are small, not of numbers near 1.
/// @return off by what both tails are off
inline double normal_mass(double from, double to) {
  return from + to > 0 ? upper_tail(from) - upper_tail(to) : upper_tail(-to) - upper_tail(-from);
}

/// P(Z > x) divided by the density at x, for x >= 0.
/// @return relative error below 2^-47
double mills_ratio(double x);

/// log P(Z > x) for any x, absolute error below (4 + x^2) * 2^-49.
double log_upper_tail(double x);

/// The point that Z exceeds with this probability: the inverse of `upper_tail`.
/// @param probability  in (0, 1)
/// @return absolute error below `upper_tail_point_error` (1 + |result|), see library_errors.h
double upper_tail_point(double probability);

/// A point that Z exceeds with probability at most `probability`: the inverse of P(Z > x) <= e^{-x^2/2} / 2, x >= 0.
/// @param probability  positive
double tail_point(double probability);

}  // namespace dpbudget::numeric
