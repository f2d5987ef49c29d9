/// @file
/// From a moment of the likelihood ratio to the Rényi divergence, with its error.
#pragma once

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::renyi {

/// The logarithm of a moment less 1, log(E[ratio^order] - 1).
struct LogExcess {
  double log_value;
  double relative_error;  ///< bound on the relative error of the moment less 1
};

/// A computed divergence and a bound on its relative error.
struct Divergence {
  double value;
  double relative_error;
  double upper() const { return std::isinf(value) ? value : raised(value, relative_error); }
};

/// log(e^x - 1), x > 0, or -infinity at x = 0.
inline double log_expm1(double x) { return x > 40 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x)); }

/// log(1 + e^log_value) / (order - 1). An absolute error of a logarithm is a relative error of what it is of.
inline Divergence divergence(const LogExcess& moment, double order) {
  if (std::isinf(moment.log_value) && moment.log_value > 0) return {moment.log_value, 0};
  const double log_moment = moment.log_value > 40 ? moment.log_value : std::log1p(std::exp(moment.log_value));
  const double relative =
      (moment.relative_error + 4 * unit * (1 + std::abs(moment.log_value))) / std::max(1.0, log_moment);
  return {log_moment / (order - 1), relative + 4 * unit};
}

}  // namespace dpbudget::renyi
