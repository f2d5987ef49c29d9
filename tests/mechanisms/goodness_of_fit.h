/// @file
/// Pearson's chi-squared test of drawn counts against a law.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dpbudget::mechanisms {

/// @param counts         draws of each outcome
/// @param probabilities  of each outcome, one for each count; sum 1
/// @return the probability of a statistic at least this large if the law holds. Outcomes that are expected less than
///         ten times count as one. Tests with fixed seeds compare it with 1e-6: a right law is refused once in a
///         million seeds
inline double goodness_of_fit(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  const auto draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double statistic = 0, rare = 0, rare_expected = 0;
  int cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * probabilities[i];
    const auto count = static_cast<double>(counts[i]);
    if (expected < 10) {
      rare += count;
      rare_expected += expected;
      continue;
    }
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  if (rare_expected >= 1) {
    statistic += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
    ++cells;
  } else if (rare > 20 * (1 + rare_expected)) {
    return 0;  // P(Poisson(1) > 20) < 1e-19
  }
  if (cells < 2) return 1;
  return cdf(complement(boost::math::chi_squared(cells - 1), statistic));
}

}  // namespace dpbudget::mechanisms
