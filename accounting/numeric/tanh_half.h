/// @file
/// The odds e^epsilon of two values as the mean of a sign, and its distance from 1.
#pragma once

#include <cmath>

namespace dpbudget::numeric {

/// tau = tanh(epsilon / 2) = (e^epsilon - 1) / (e^epsilon + 1).
inline double tanh_half(double epsilon) { return std::tanh(epsilon / 2); }

/// 1 - tau = 2 e^-epsilon / (1 + e^-epsilon), where every digit counts.
/// @param epsilon  in [0, 708], where e^-epsilon keeps its digits
/// @return relative error below one `unit` of numeric/rounding.h
inline double one_less_tanh_half(double epsilon) {
  const double inverse_odds = std::exp(-epsilon);
  return 2 * inverse_odds / (1 + inverse_odds);
}

}  // namespace dpbudget::numeric
