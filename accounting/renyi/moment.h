/// @file
/// From a moment of the likelihood ratio to the Rényi divergence, with its error.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

/// The logarithm of a moment less 1, log(E[ratio^order] - 1).
struct LogExcess {
  double log_value;
  double relative_error;  ///< bound on the relative error of the moment less 1
};

/// A computed divergence and a bound on its relative error.
struct Divergence {
  double value;
  double relative_error;  ///< infinite when nothing is known of the error
  double upper() const {
    if (value == 0 || std::isinf(value)) return value;
    return std::isinf(relative_error) ? relative_error : numeric::raised(value, relative_error);
  }
};

/// log(1 + e^log_value) / (order - 1). An absolute error of a logarithm is a relative error of what it is of.
inline Divergence divergence(const LogExcess& moment, double order) {
  const double log_value = moment.log_value;
  if (std::isinf(log_value)) return {log_value > 0 ? log_value : 0, 0};
  // A moment less 1 that is off by a factor 1 +- e is at most 1/(1-e) of what was computed.
  const double error = moment.relative_error + 4 * numeric::unit * (1 + std::abs(log_value));
  const double relative = error < 0.5 ? -std::log1p(-error) : std::numeric_limits<double>::infinity();
  // Far below 1 the moment less 1 is its own logarithm; taken together with order - 1 it need not underflow.
  if (log_value < -40)
    // The least positive double stands for what underflows.
    return {std::max(std::exp(log_value - std::log(order - 1)), std::numeric_limits<double>::denorm_min()),
            relative + 4 * numeric::unit * (1 + std::abs(std::log(order - 1)))};
  const double log_moment = log_value > 40 ? log_value : std::log1p(std::exp(log_value));
  return {log_moment / (order - 1), relative / std::max(1.0, log_moment) + 4 * numeric::unit};
}

}  // namespace dpbudget::renyi
