/// @file
/// e^{it} - 1 - it in long double.
#pragma once

#include <cmath>
#include <complex>

namespace dpbudget::testing {

/// From its series, which is alternating.
inline std::complex<long double> second_order_of(long double t) {
  if (std::abs(t) > 1) return {std::cos(t) - 1, std::sin(t) - t};
  long double real = 0;
  long double imaginary = 0;
  long double term = 1;
  for (int k = 1; k <= 24; ++k) {
    term *= t / static_cast<long double>(k);
    if (k < 2) continue;
    const bool is_negative = k % 4 == 2 || k % 4 == 3;
    (k % 2 == 0 ? real : imaginary) += is_negative ? -term : term;
  }
  return {real, imaginary};
}

}  // namespace dpbudget::testing
