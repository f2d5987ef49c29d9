/// @file
/// A binomial count against its shift, term by term in 50 digits.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <vector>

namespace dpbudget::shuffle::testing {

using Precise = boost::multiprecision::cpp_bin_float_50;

/// P(0), ..., P(trials) by the definition.
inline std::vector<Precise> binomial_masses(int trials, double probability) {
  const Precise odds = Precise(probability) / (1 - Precise(probability));
  std::vector<Precise> result = {pow(1 - Precise(probability), trials)};
  for (int i = 0; i < trials; ++i) result.push_back(result.back() * odds * (trials - i) / (i + 1));
  return result;
}

/// The larger direction's sum of (P(i) - e^epsilon Q(i))_+.
inline Precise hockey_stick(int trials, double probability, int shift, double epsilon) {
  const std::vector<Precise> mass = binomial_masses(trials, probability);
  const auto at = [&](int j) { return 0 <= j && j <= trials ? mass[static_cast<std::size_t>(j)] : Precise(0); };
  const Precise factor = exp(Precise(epsilon));
  Precise forward = 0;
  Precise backward = 0;
  for (int j = 0; j <= trials + shift; ++j) {
    const Precise of_shifted = at(j - shift) - factor * at(j);
    const Precise of_noise = at(j) - factor * at(j - shift);
    if (of_shifted > 0) forward += of_shifted;
    if (of_noise > 0) backward += of_noise;
  }
  return std::max(forward, backward);
}

/// The same for many trials, from the outcomes within 13 standard deviations of the mean alone.
inline Precise hockey_stick_near_mode(int trials, double probability, int shift, double epsilon) {
  const Precise p = probability;
  const auto mean = static_cast<int>(trials * p);
  const auto reach = static_cast<int>(13 * sqrt(trials * p * (1 - p)));
  const int low = std::max(0, mean - reach);
  const int high = std::min(trials, mean + reach);
  const auto log_factorial = [](int k) { return lgamma(Precise(k + 1)); };
  std::vector<Precise> mass = {exp(log_factorial(trials) - log_factorial(low) - log_factorial(trials - low) +
                                   low * log(p) + (trials - low) * log1p(-p))};
  for (int i = low; i < high; ++i) mass.push_back(mass.back() * p / (1 - p) * (trials - i) / (i + 1));
  const auto at = [&](int j) { return low <= j && j <= high ? mass[static_cast<std::size_t>(j - low)] : Precise(0); };
  const Precise factor = exp(Precise(epsilon));
  Precise forward = 0;
  Precise backward = 0;
  for (int j = low; j <= high; ++j) {
    forward += std::max(Precise(0), Precise(at(j) - factor * at(j + shift)));
    backward += std::max(Precise(0), Precise(at(j) - factor * at(j - shift)));
  }
  return std::max(forward, backward);
}

}  // namespace dpbudget::shuffle::testing
