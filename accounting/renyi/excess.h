/// @file
/// What remains of a power after its linear approximation: the heart of every amplified moment.
#pragma once

#include <cmath>

namespace dpbudget::renyi {

/// (1 + x)^power - 1 - power x, which is at least 0 for power outside (0, 1), without cancellation for small x nor for
/// powers near 0 and 1.
/// @param power      outside [0, 1]
/// @param x          > -1
/// @param log_ratio  log(1 + x)
inline double excess(double power, double x, double log_ratio) {
  if (std::abs(x) <= 0.05 && std::abs(power * x) <= 0.05) {
    double term = power * x;
    double sum = 0;
    for (int k = 2; k < 40; ++k) {
      term *= (power - k + 1) / k * x;
      sum += term;
      if (std::abs(term) <= 1e-18 * std::abs(sum)) break;
    }
    return sum;
  }
  // Of the two forms, the one whose terms are all of the order of the smaller of |power|, |power - 1|.
  if (power < 0.5) return std::expm1(power * log_ratio) - power * x;
  return (1 + x) * std::expm1((power - 1) * log_ratio) - (power - 1) * x;
}

}  // namespace dpbudget::renyi
