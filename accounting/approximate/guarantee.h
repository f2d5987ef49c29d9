/// @file
/// What the functions of this folder take and give.
#pragma once

#include <cmath>

namespace dpbudget::approximate {

/// (epsilon, delta)-DP.
struct EpsilonDelta {
  double epsilon;
  double delta;
  friend bool operator==(const EpsilonDelta&, const EpsilonDelta&) = default;
};

/// The same where delta may leave the range of a double; -infinity for a delta of 0.
struct EpsilonLogDelta {
  double epsilon;
  double log_delta;
};

/// A bracket around the logarithm of a delta, rounding included.
struct LogDeltaBracket {
  double lower;
  double upper;
};

/// log(e^a + e^b), also where one of them is -infinity.
inline double log_add(double a, double b) {
  const double larger = std::fmax(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::fmin(a, b) - larger));
}

}  // namespace dpbudget::approximate
