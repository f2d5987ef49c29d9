#include "dpbudget/accounting/numeric/normal.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>

#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::numeric {

// accounting/numeric/proofs.md, 2.1
double mills_ratio(double x) {
  if (x < 2) return std::exp(x * x / 2) * upper_tail(x) * std::sqrt(2 * std::numbers::pi);
  // Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/...))). Its terms are positive, so consecutive convergents
  // enclose the value; with this many they agree to 2^-54.
  double rest = 0;
  for (int k = 8 + to_integer<int>(450 / (x * x), "terms"); k > 0; --k) rest = k / (x + rest);
  return 1 / (x + rest);
}

// accounting/numeric/proofs.md, 2.2
double log_upper_tail(double x) {
  if (x > 2) return -x * x / 2 - log_root_two_pi + std::log(mills_ratio(x));
  return x < -1 ? std::log1p(-upper_tail(-x)) : std::log(upper_tail(x));
}

double upper_tail_point(double probability) {
  const double smaller = std::min(probability, 1 - probability);  // the complement of more than a half is exact
  const double point = std::numbers::sqrt2 * boost::math::erfc_inv(2 * smaller);
  return probability <= 0.5 ? point : -point;
}

// accounting/numeric/proofs.md, 2.3
double tail_point(double probability) {
  return std::sqrt(std::max(0.0, -2 * (std::log(probability) + std::numbers::ln2))) * (1 + 1e-14) + 1e-14;
}

}  // namespace dpbudget::numeric
