#include "dpbudget/accounting/profile/discrete_gaussian.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::profile {
namespace {

using Precise = boost::multiprecision::cpp_bin_float_quad;

}  // namespace

double discrete_gaussian_normaliser(double sigma) {
  require(0 < sigma && std::isfinite(sigma), "sigma", sigma, "positive and finite");
  const double pi = std::numbers::pi;
  // Poisson summation; the next term is below e^-78.
  if (sigma > 1) return sigma * std::sqrt(2 * pi) * (1 + 2 * std::exp(-2 * pi * pi * sigma * sigma));
  double sum = 1;
  for (int k = 1; k <= 9; ++k) sum += 2 * std::exp(-(k / sigma) * (k / sigma) / 2);
  return sum;
}

double discrete_gaussian_log_delta(double epsilon, double sigma, double sensitivity) {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  require(1 <= sensitivity && sensitivity <= 0x1p53 && sensitivity == std::floor(sensitivity), "sensitivity",
          sensitivity, "an integer in [1, 2^53]");
  require(sigma <= 1e7, "sigma", sigma, "at most 1e7");
  const double normaliser = discrete_gaussian_normaliser(sigma);
  // delta is the sum over noise z above `threshold` of P(z) (1 - e^{-(z - threshold) sensitivity / sigma^2}). In
  // quadruple precision, because a threshold next to an integer decides how much of that integer's mass counts.
  const Precise threshold = Precise(epsilon) * sigma * sigma / sensitivity - Precise(sensitivity) / 2;
  const double lowest = std::floor(-40 * sigma);
  const double first = threshold > lowest ? static_cast<double>(floor(threshold)) + 1 : lowest;
  const auto first_distance = static_cast<double>(first - threshold);
  const double top = std::max(first, 0.0);  // where P is largest
  double sum = 0;
  for (double z = first;; ++z) {
    const double distance = (first_distance + (z - first)) * sensitivity / sigma / sigma;
    const double log_ratio = (top - z) * (top + z) / sigma / sigma / 2;
    const double term = std::exp(log_ratio) * -std::expm1(-distance);
    sum += term;
    if (z > top && (term < 1e-18 * sum || log_ratio < -800)) break;
  }
  return std::min(0.0, -(top / sigma) * (top / sigma) / 2 - std::log(normaliser) + std::log(sum));
}

}  // namespace dpbudget::profile
