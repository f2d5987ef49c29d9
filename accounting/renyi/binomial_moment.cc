#include "dpbudget/accounting/renyi/binomial_moment.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

using numeric::Extended;
using numeric::unit;

LogExcess BinomialMoment::operator()(std::uint64_t order) const {
  while (coefficients_.size() + 1 < order) coefficients_.push_back(log_coefficient_(coefficients_.size() + 2));
  while (log_factorial_.size() <= order)
    log_factorial_.push_back(boost::math::lgamma(Extended(log_factorial_.size()) + 1));

  const auto most = static_cast<std::size_t>(order);
  std::vector<double> log_terms(most - 1);
  for (std::size_t j = 2; j <= most; ++j) {
    const Extended log_binomial = log_factorial_[most] - log_factorial_[j] - log_factorial_[most - j];
    log_terms[j - 2] = static_cast<double>(log_binomial + coefficients_[j - 2]);
  }
  const double largest = std::ranges::max(log_terms);
  if (std::isinf(largest)) return {largest, 0};
  double sum = 0;
  double error = 0;
  std::uint64_t skipped = 0;
  for (const double log_term : log_terms) {
    if (log_term < largest - 60) {
      ++skipped;  // together below (number skipped) e^-60 of the sum, which enters the error
      continue;
    }
    const double term = std::exp(log_term - largest);
    sum += term;
    error += term * (2 + std::abs(log_term));
  }
  const double n = static_cast<double>(order);
  // In extended precision the binomial's logarithm is right to 2^-57 of log(order!).
  const double relative_error = unit * (error / sum + 4 + n / 8 + std::abs(n * log_base_)) +
                                0x1p-57 * static_cast<double>(log_factorial_[most]) +
                                static_cast<double>(skipped) * 1e-26;
  return {largest + std::log(sum) + n * log_base_, relative_error};
}

}  // namespace dpbudget::renyi
