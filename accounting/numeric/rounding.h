/// @file
/// Rounding that can only enlarge: how a value computed in double becomes a proven upper bound.
///
/// Every formula here bounds its own relative error in multiples of `unit` (accounting/numeric/proofs.md, 1.1
/// and 1.2) and is then raised by that much. What functions of libraries are taken to be off by: library_errors.h.
#pragma once

#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/library_errors.h"

namespace dpbudget::numeric {

/// Relative error of one operation or of one call of an elementary function, with a factor 2 to spare.
/// @source accounting/numeric/proofs.md, 1.1
inline constexpr double unit = 2 * elementary_ulps * 0x1p-52;
static_assert(erfc_ulps * 0x1p-52 < unit);

/// @return the smallest double that is at least a + b, exactly; both at least 0
/// @source accounting/numeric/proofs.md, 1.3
inline double add_up(double a, double b) {
  const double sum = a + b;
  if (std::isinf(sum)) return sum;
  const double large = a > b ? a : b;
  const double small = a > b ? b : a;
  const bool rounded_down = small > sum - large;  // the subtraction is exact, since large is at least half of sum
  return rounded_down ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

/// @return a double that is at least a b, and the product itself when a double holds it; both at least 0
/// @source accounting/numeric/proofs.md, 1.3
inline double multiply_up(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  const bool is_exact = product > 1e-290 && std::fma(a, b, -product) <= 0;
  return std::isinf(product) || is_exact ? product : std::nextafter(product, std::numeric_limits<double>::infinity());
}

/// @return a double at least `value` (1 + relative_error), for value >= 0 that is off by that factor at most
/// @source accounting/numeric/proofs.md, 1.3
inline double raised(double value, double relative_error) {
  return std::nextafter(value * (1 + relative_error + unit), std::numeric_limits<double>::infinity());
}

}  // namespace dpbudget::numeric
