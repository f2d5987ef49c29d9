/// @file
/// Rényi divergences by means that share nothing with the library: adaptive quadrature in 50 digits, sums in 100.
#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>

namespace dpbudget::renyi::testing {

using Precise = boost::multiprecision::cpp_bin_float_50;
using MorePrecise = boost::multiprecision::cpp_bin_float_100;

inline Precise normal_density(const Precise& z) {
  return exp(-z * z / 2) / sqrt(2 * boost::math::constants::pi<Precise>());
}

/// The integral of `f` over [low, high], in panels of width `panel` with 61 points each.
inline Precise integral(const std::function<Precise(Precise)>& f, double low, double high, double panel) {
  Precise sum = 0;
  const int panels = static_cast<int>(std::ceil((high - low) / panel));
  for (int k = 0; k < panels; ++k)
    sum += boost::math::quadrature::gauss_kronrod<Precise, 61>::integrate(
        f, Precise(low + k * (high - low) / panels), Precise(low + (k + 1) * (high - low) / panels), 0);
  return sum;
}

/// log(1 + moment_minus_1) / (order - 1).
inline double divergence(const Precise& moment_minus_1, double order) {
  return static_cast<double>(log1p(moment_minus_1) / (Precise(order) - 1));
}

/// Rényi divergence between (1-q) N(0, s^2) + q N(a, s^2) and (1-q) N(0, s^2) + q N(b, s^2).
inline double mixture_divergence(double q, double s, double a, double b, double order) {
  const Precise rate = q;
  const Precise noise = s;
  const auto ratio = [&](const Precise& z, double centre) {
    const Precise shift = Precise(centre) / noise;
    return 1 + rate * expm1(z * shift - shift * shift / 2);
  };
  const auto integrand = [&](const Precise& z) -> Precise {
    const Precise bottom = ratio(z, b);
    return normal_density(z) * bottom * (pow(ratio(z, a) / bottom, Precise(order)) - 1);
  };
  const double reach = 12 + 2 * order / s;
  return divergence(integral(integrand, -reach, reach, std::min(0.5, s)), order);
}

}  // namespace dpbudget::renyi::testing
