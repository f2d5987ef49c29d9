/// @file
/// Normal tails and what is made of them in 100 digits, by means that share nothing with the library.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace dpbudget::testing {

using Precise = boost::multiprecision::cpp_bin_float_100;

/// P(Z > x).
inline Precise upper_tail(const Precise& x) { return boost::math::erfc(x / sqrt(Precise(2))) / 2; }

/// P(x < Z < y), from the tails on the side where they are small.
inline Precise normal_mass(const Precise& x, const Precise& y) {
  return x > 0 ? upper_tail(x) - upper_tail(y) : upper_tail(-y) - upper_tail(-x);
}

/// delta(epsilon) of the Gaussian mechanism.
inline Precise gaussian_delta(double epsilon, double noise_multiplier) {
  const Precise s = noise_multiplier;
  const Precise e = epsilon;
  return upper_tail(e * s - 1 / (2 * s)) - exp(e) * upper_tail(e * s + 1 / (2 * s));
}

/// How far log delta is from the truth, relative to 1 + |truth|.
inline double log_error(double log_value, const Precise& truth) {
  const Precise log_truth = log(truth);
  return static_cast<double>(abs(log_value - log_truth) / (1 + abs(log_truth)));
}

}  // namespace dpbudget::testing
