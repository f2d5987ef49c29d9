/// @file
/// Logarithms of sums, where the terms leave the range of a double.
#pragma once

#include <cmath>

namespace dpbudget::numeric {

/// log(e^a + e^b), also where one of them is -infinity.
inline double log_add(double a, double b) {
  const double larger = std::fmax(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::fmin(a, b) - larger));
}

/// log(e^x - 1), x > 0, or -infinity at x = 0.
inline double log_expm1(double x) { return x > 40 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x)); }

}  // namespace dpbudget::numeric
