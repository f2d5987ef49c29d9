/// @file
/// Shuffled binary randomised response by convolution.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace dpbudget::testing {

/// The law of the number of ones among the reports of `zeros` users who hold 0 and `ones` who hold 1.
inline std::vector<double> response_law(double local_epsilon, int zeros, int ones) {
  std::vector<double> law = {1};
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const double unlikely = 1 / (1 + std::exp(local_epsilon));
  for (int user = 0; user < zeros + ones; ++user) {
    const double one = user < ones ? likely : unlikely;
    const double zero = user < ones ? unlikely : likely;
    law.push_back(0);
    for (std::size_t k = law.size() - 1; k > 0; --k) law[k] = law[k] * zero + law[k - 1] * one;
    law[0] *= zero;
  }
  return law;
}

/// The divergence of the number of ones where one more user holds 1 from that where this user holds 0.
inline double response_delta(double local_epsilon, int zeros, int ones, double epsilon) {
  const std::vector<double> with_one = response_law(local_epsilon, zeros, ones + 1);
  const std::vector<double> with_zero = response_law(local_epsilon, zeros + 1, ones);
  double delta = 0;
  for (std::size_t k = 0; k < with_one.size(); ++k)
    delta += std::max(0.0, with_one[k] - std::exp(epsilon) * with_zero[k]);
  return delta;
}

/// The largest over all bits of the others.
inline double worst_response_delta(double local_epsilon, int reports, double epsilon) {
  double worst = 0;
  for (int ones = 0; ones < reports; ++ones)
    worst = std::max(worst, response_delta(local_epsilon, reports - 1 - ones, ones, epsilon));
  return worst;
}

}  // namespace dpbudget::testing
