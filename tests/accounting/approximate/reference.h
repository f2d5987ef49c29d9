/// @file
/// The compositions again, term by term in 50 digits: what the sums under test are held against.
#pragma once

#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstddef>
#include <vector>

namespace dpbudget::approximate::testing {

using Precise = boost::multiprecision::cpp_bin_float_50;

/// 1 - the product of the 1 - delta_i, times 1 - s.
inline Precise with_failures(const std::vector<double>& deltas, const Precise& s) {
  Precise none = 1;
  for (const double delta : deltas) none *= 1 - Precise(delta);
  return 1 - none * (1 - s);
}

/// Every outcome of every mechanism's coin.
inline Precise by_all_outcomes(const std::vector<double>& epsilons, const std::vector<double>& deltas,
                               double total_epsilon) {
  std::vector<Precise> up;
  for (const double epsilon : epsilons) up.push_back(1 / (1 + exp(-Precise(epsilon))));
  Precise s = 0;
  for (std::size_t outcome = 0; outcome < (std::size_t{1} << epsilons.size()); ++outcome) {
    const auto is_up = [&](std::size_t i) { return ((outcome >> i) & 1) != 0; };
    Precise above = -Precise(total_epsilon);
    for (std::size_t i = 0; i < epsilons.size(); ++i) above += is_up(i) ? epsilons[i] : -epsilons[i];
    if (above <= 0) continue;
    Precise term = -boost::math::expm1(Precise(-above));
    for (std::size_t i = 0; i < epsilons.size(); ++i) term *= is_up(i) ? up[i] : Precise(1 - up[i]);
    s += term;
  }
  return with_failures(deltas, s);
}

/// Of `count` equal mechanisms, by the binomial distribution: the terms up to index `last` from the top.
inline Precise by_binomial(double epsilon, double delta, int count, double total_epsilon) {
  const Precise odds = exp(Precise(epsilon));
  Precise probability = pow(odds / (1 + odds), count);  // of all up
  Precise s = 0;
  for (int j = count; j >= 0; --j) {
    const Precise above = (2 * j - count) * Precise(epsilon) - total_epsilon;
    if (above <= 0) break;
    s -= probability * boost::math::expm1(Precise(-above));
    probability *= Precise(j) / (count - j + 1) / odds;
  }
  return 1 - pow(1 - Precise(delta), count) * (1 - s);
}

inline double log_error(double log_value, const Precise& truth) {
  return static_cast<double>(abs(Precise(log_value) - log(truth)));
}

}  // namespace dpbudget::approximate::testing
