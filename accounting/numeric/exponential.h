/// @file
/// e^x with rounding that can only enlarge, or only lessen, also where a double cannot hold it.
#pragma once

#include <cmath>

#include "dpbudget/accounting/numeric/library_errors.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::numeric {

/// Its logarithm is below that of the least positive double, 2^-1074, which is -744.44007...
inline constexpr double log_below_doubles = -744.4401;
/// Doubles below it have fewer digits, and are all multiples of 2^-1074.
inline constexpr double least_full_double = 0x1p-1021;
/// What exp, a product and their rounding may be off by there.
inline constexpr double error_of_small_doubles = (elementary_ulps + 4) * 0x1p-1074;

/// @return a double at least e^x (1 + relative_error), and so never 0 unless x is -infinity: then it is 0
/// @source accounting/numeric/proofs.md, 1.4
inline double exp_up(double x, double relative_error = 0) {
  if (std::isinf(x) && x < 0) return 0;
  if (x + 2 * relative_error < log_below_doubles) return 0x1p-1074;
  const double value = raised(std::exp(x), relative_error);
  return value < least_full_double ? value + error_of_small_doubles : value;
}

/// @return a double in [0, e^x (1 - relative_error)], for relative_error at most 1
/// @source accounting/numeric/proofs.md, 1.4
inline double exp_down(double x, double relative_error = 0) {
  if (std::isinf(x) && x < 0) return 0;
  const double value = std::exp(x) * (1 - relative_error - unit);
  return std::fmax(0.0, value < least_full_double ? value - error_of_small_doubles : value);
}

}  // namespace dpbudget::numeric
