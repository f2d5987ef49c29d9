/// @file
/// What remains of a power after its linear approximation: the heart of every amplified moment.
#pragma once

#include <cmath>
#include <numbers>

namespace dpbudget::numeric {

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

/// log of `excess`, for powers, ratios and excesses that a double cannot hold too; there an upper bound that is exact
/// to every digit. x may have overflowed to infinity.
inline double log_excess(double power, double x, double log_ratio) {
  // (1+x)^p - 1 - p x = p (p-1) / 2 x^2 (1 + O(x)) where the square would underflow.
  if (std::abs(x) < 1e-100 && std::abs(power * x) < 1e-100)
    return std::log(std::abs(power)) + std::log(std::abs(power - 1)) - std::numbers::ln2 + 2 * std::log(std::abs(x));
  if (std::abs(power * log_ratio) < 600 && log_ratio < 300) return std::log(excess(power, x, log_ratio));
  if (power < 0) {
    // The linear part prevails on the right, where (1+x)^power < 1, and the power itself on the left.
    if (log_ratio > 0) return std::log(-power) + (log_ratio > 40 ? log_ratio : std::log(x));
    return power * log_ratio;
  }
  if (log_ratio < 0) return std::log(-power * x);
  // (1+x) ((1+x)^(power-1) - 1 - (power-1) x / (1+x)), where x / (1+x) = 1 - e^-log_ratio.
  const double tail = (power - 1) * log_ratio;
  return log_ratio + (tail > 600 ? tail : std::log(std::expm1(tail) + (power - 1) * std::expm1(-log_ratio)));
}

}  // namespace dpbudget::numeric
