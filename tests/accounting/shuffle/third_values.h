/// @file
/// Shuffled randomised response among third values, in 60 digits.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>

namespace dpbudget::testing {

/// log delta of the numbers (i, j) of reports of x and x' where the first user holds x or x' and the others a third
/// value, by its definition; -infinity for 0.
inline double third_values_log_delta(double local_epsilon, std::uint64_t categories, int reports, double epsilon) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;
  const Real odds = exp(Real(local_epsilon));
  const Real ratio = exp(Real(epsilon));
  const Real rare = 1 / (odds + (static_cast<double>(categories) - 1));
  // Of the others' reports, i are x, j are x' and the rest are neither.
  const auto others = [&](int i, int j) -> Real {
    if (i < 0 || j < 0 || i + j > reports - 1) return 0;
    Real mass = pow(1 - 2 * rare, reports - 1 - i - j);
    for (int a = 1; a <= i + j; ++a) mass *= rare * (reports - a) / (a <= i ? a : a - i);
    return mass;
  };
  Real delta = 0;
  for (int i = 0; i <= reports; ++i)
    for (int j = 0; i + j <= reports; ++j) {
      const Real neither = (1 - rare * (odds + 1)) * others(i, j);
      const Real p = odds * rare * others(i - 1, j) + rare * others(i, j - 1) + neither;
      const Real q = rare * others(i - 1, j) + odds * rare * others(i, j - 1) + neither;
      if (p > ratio * q) delta += p - ratio * q;
    }
  return static_cast<double>(log(delta));
}

}  // namespace dpbudget::testing
