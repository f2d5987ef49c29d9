#include "dpbudget/accounting/numeric/binomial.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::numeric {
namespace {

constexpr double least_normal = 1e-290;

// From here on Stirling's series has a double's digits.
constexpr double least_of_series = 16;

// log n! less Stirling's formula (n + 1/2) log n - n + log sqrt(2 pi).
double stirling_error(double n) {
  if (n < least_of_series) return boost::math::lgamma(n + 1) - ((n + 0.5) * std::log(n) - n + log_root_two_pi);
  const double x = 1 / (n * n);
  return (1.0 / 12 + x * (-1.0 / 360 + x * (1.0 / 1260 + x * (-1.0 / 1680 + x * (1.0 / 1188 - x * 691 / 360360))))) / n;
}

}  // namespace

Binomial::Expected Binomial::expected(Extended value, double log_probability) {
  // An expected number is compared with outcomes that may agree with it in all but the last digits.
  const auto high = static_cast<double>(value);
  return {high, static_cast<double>(value - high), log_probability};
}

Binomial Binomial::of_odds(double count, double log_odds) {
  const Extended failing = extended::exp(-Extended(log_odds));
  const double log_success = -std::log1p(std::exp(-log_odds));
  return {count, expected(count / (1 + failing), log_success),
          expected(count * (failing / (1 + failing)), log_success - log_odds), std::exp(log_odds)};
}

Binomial Binomial::of_one_in(double count, double population) {
  const Extended share = Extended(count) / population;
  return {count, expected(share, -std::log(population)), expected(count - share, std::log1p(-1 / population)),
          1 / (population - 1)};
}

Binomial Binomial::reversed() const { return {count_, failures_, successes_, 1 / odds_}; }

double Binomial::deviation() const { return std::sqrt(successes_.high * failures_.high / count_); }

double Binomial::mode() const { return std::clamp(std::floor(successes_.high), 0.0, count_); }

// log(outcome / expected)
double Binomial::log_of_share(double outcome, const Expected& expected) const {
  return expected.high > least_normal ? std::log(outcome / expected.high)
                                      : std::log(outcome / count_) - expected.log_probability;
}

// outcome log(outcome / expected) + expected - outcome, for a difference expected - outcome.
double Binomial::deviance(double outcome, const Expected& expected, double difference) const {
  const double relative = difference / outcome;
  if (std::abs(relative) < 0.5) return -outcome * boost::math::log1pmx(relative);
  return outcome * log_of_share(outcome, expected) + difference;
}

// accounting/numeric/proofs.md, 3.1
double Binomial::log_mass(double successes, double offset) const {
  const double x = successes + offset;
  const double rest = count_ - successes;
  const double y = rest - offset;
  if (x == 0) return count_ * failures_.log_probability;
  if (y == 0) return count_ * successes_.log_probability;
  const double of_successes = deviance(x, successes_, (successes_.high - successes) - offset + successes_.low);
  const double of_failures = deviance(y, failures_, (failures_.high - rest) + offset + failures_.low);
  return stirling_error(count_) - stirling_error(x) - stirling_error(y) - of_successes - of_failures +
         (std::log(count_ / x) - std::log(y)) / 2 - log_root_two_pi;
}

// accounting/numeric/proofs.md, 3.2
double Binomial::log_mass_error(double log_mass) const {
  const double logs = std::log(count_) + std::abs(log_mass);
  return 64 * unit * (4 + logs) + 0x1p-60 * std::sqrt(2 * count_ * logs);
}

// accounting/numeric/proofs.md, 3.3
Approximation Binomial::log_ratio(double successes, double shift) const {
  const double x = successes;
  const double z = x + shift;
  const double y = count_ - x;
  const double v = y - shift;
  if (v < 0) return {-std::numeric_limits<double>::infinity(), 0};
  const bool is_apart = std::min(x, v) < least_of_series || 2 * shift > std::min(x, y);
  if (is_apart) {
    const double from = log_mass(x);
    const double to = log_mass(z);
    return {to - from, log_mass_error(from) + log_mass_error(to)};
  }
  // log of (v / n q) / (z / n p), the mean change of the slope at both ends apart.
  const double above = (successes_.high - z) + successes_.low;
  const double relative = above / z * (count_ / failures_.high);
  const bool is_near = failures_.high > least_normal && std::abs(relative) < 0.5;
  const double of_z = is_near ? 0 : log_of_share(z, successes_);
  const double of_v = is_near ? std::log1p(relative) : log_of_share(v, failures_);
  const double up = shift / x;
  const double down = -shift / y;
  const double of_successes = x * boost::math::log1pmx(up);
  const double of_failures = y * boost::math::log1pmx(down);
  const double of_root = (std::log1p(up) + std::log1p(down)) / 2;
  const double of_series = (stirling_error(x) - stirling_error(z)) + (stirling_error(y) - stirling_error(v));
  const double magnitudes = shift * (std::abs(of_v) + std::abs(of_z)) - of_successes - of_failures +
                            std::abs(std::log1p(up)) + std::abs(std::log1p(down)) + 1 / x + 1 / v;
  // An expected number is off by 2^-62 of itself, which `relative` multiplies by n / (n q).
  const double of_expected = is_near ? 0x1p-61 * shift * (1 + count_ / failures_.high) : 4 * unit * shift;
  return {shift * (of_v - of_z) - of_successes - of_failures - of_root + of_series,
          8 * unit * magnitudes + of_expected};
}

}  // namespace dpbudget::numeric
