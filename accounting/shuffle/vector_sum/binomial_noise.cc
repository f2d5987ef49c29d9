#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::Extended;
namespace extended = numeric::extended;
namespace {

// From here on the Euler-Maclaurin formula for sums of log u, cut after its second correction, is off by 1e-17.
constexpr double far_from_ends = 1000;

double log_odds_of(double probability) {
  // 2 p - 1 is exact near p = 1/2.
  const double p = probability;
  return p < 0.25 || p > 0.75 ? std::log(p) - std::log1p(-p) : std::log1p((2 * p - 1) / (1 - p));
}

double checked(double trials, double probability) {
  require(1 <= trials && trials <= static_cast<double>(ranges::max_count) && trials == std::floor(trials), "trials",
          trials, "an integer in [1, 2^53]");
  require(0 < probability && probability < 1, "probability", probability, "in (0, 1)");
  return log_odds_of(probability);
}

}  // namespace

BinomialNoise BinomialNoise::of_odds(double trials, double log_odds) {
  // The expressions of the law's own means.
  const Extended failing = extended::exp(-Extended(log_odds));
  return {numeric::Binomial::of_odds(trials, log_odds),
          {1 / (1 + failing), trials / (1 + failing)},
          {failing / (1 + failing), trials * (failing / (1 + failing))},
          log_odds};
}

BinomialNoise::BinomialNoise(double trials, double probability)
    : BinomialNoise([&] {
        const double log_odds = checked(trials, probability);
        return log_odds < 0 ? of_odds(trials, -log_odds).reversed() : of_odds(trials, log_odds);
      }()) {}

BinomialNoise BinomialNoise::reversed() const { return {law_.reversed(), failure_, success_, -log_odds_}; }

double BinomialNoise::variance() const { return static_cast<double>(success_.expected * failure_.probability); }

double BinomialNoise::log_odds_error() const { return numeric::unit * (1 + std::abs(log_odds_)); }

// d log P(i) / d log odds = i - mean; the mean itself moves by less than it counts twice for.
double BinomialNoise::log_mass_error(double i, double log_mass) const {
  return law_.log_mass_error(log_mass) + 2 * (std::abs(i - law_.mean()) + 1) * log_odds_error();
}

double BinomialNoise::mass_lower(double i) const {
  const double log_mass = law_.log_mass(i);
  return std::exp(log_mass - log_mass_error(i, log_mass)) * (1 - 8 * numeric::unit);
}

double BinomialNoise::mass_upper(double i) const {
  const double log_mass = law_.log_mass(i);
  return std::exp(log_mass + log_mass_error(i, log_mass)) * (1 + 8 * numeric::unit);
}

double BinomialNoise::tail_upper(double i) const {
  if (i >= trials()) return i > trials() ? 0 : std::min(1.0, mass_upper(i));
  const double step = log_ratio(i, 0, 1) + 2 * log_odds_error();
  return step < 0 ? std::min(1.0, mass_upper(i) / -std::expm1(step) * (1 + 0x1p-40)) : 1;
}

double BinomialNoise::tail_point(double tail) const {
  const double mode = law_.mode();
  const auto room = to_integer<std::uint64_t>(trials() - mode, "trials above the mode");
  const auto is_more = [&](std::uint64_t d) { return tail_upper(mode + static_cast<double>(d)) > tail; };
  if (room < 2 || is_more(room)) return trials();
  const double guess = numeric::tail_point(tail) * law_.deviation();
  const auto start = to_integer<std::uint64_t>(std::clamp(guess, 0.0, static_cast<double>(room - 1)), "tail point");
  return mode + static_cast<double>(numeric::largest_that_fits(start, room, is_more)) + 1;
}

// log of P(u) / P(u - 1) = (n + 1 - u) p / (u q), rest = n + 1 - u: the smaller of the two has the more digits.
double BinomialNoise::log_step(Extended u, Extended rest) const {
  if (rest <= 0) return -infinity;
  // (n + 1) p - u = (n + 1 - u) - (n + 1) q
  const Extended above = failure_.probability < success_.probability ? rest - (failure_.expected + failure_.probability)
                                                                     : success_.expected + success_.probability - u;
  const auto relative = static_cast<double>(above / (u * failure_.probability));
  if (std::abs(relative) < 0.5) return boost::math::log1p(relative);
  return static_cast<double>(extended::log(rest / u)) + log_odds_;
}

// The sum of log_step over u = first, ..., first + shift - 1, with rest = n + 1 - first.
double BinomialNoise::log_steps_integrated(Extended first, Extended rest, double shift) const {
  const auto slope = [](Extended u, Extended v) { return -1 / u - 1 / v; };
  const auto third = [](Extended u, Extended v) { return -2 / (u * u * u) - 2 / (v * v * v); };
  const auto step = [&](double t) {
    const Extended centre = Extended(t) - 0.5;
    return log_step(first + centre, rest - centre);
  };
  // Seven nodes do where the ends, where log u is singular, are 16 lengths away: an error of 64^-14.
  const bool is_short = 16 * shift < first && 17 * shift < rest;
  const double integral = is_short ? boost::math::quadrature::gauss<double, 7>::integrate(step, 0, shift)
                                   : boost::math::quadrature::gauss<double, 30>::integrate(step, 0, shift);
  const Extended from = first - 0.5;
  const Extended from_rest = rest + 0.5;
  const Extended to = from + shift;
  const Extended to_rest = from_rest - shift;
  return integral + static_cast<double>((slope(from, from_rest) - slope(to, to_rest)) / 24 +
                                        (third(to, to_rest) - third(from, from_rest)) * 7 / 5760);
}

double BinomialNoise::log_ratio(double i, double offset, double shift) const {
  const Extended first = Extended(i) + offset + 1;
  const Extended rest = Extended(trials() - i) - offset;
  const Extended last_rest = rest - shift;  // below 0 where i + offset + shift is beyond the trials
  if (last_rest <= -1) return -infinity;
  if (shift <= few_steps) {
    const auto steps = to_integer<int>(shift, "shift");
    double sum = 0;
    for (int s = 0; s < steps; ++s) sum += log_step(first + s, rest - s);
    return sum;
  }
  // Where the terms change little from one end to the other, an integral loses nothing; elsewhere their sum is large.
  const bool is_smooth = first > far_from_ends && shift < first && last_rest > far_from_ends && shift < last_rest;
  if (is_smooth) return log_steps_integrated(first, rest, shift);
  return law_.log_mass(i + shift, offset) - law_.log_mass(i, offset);
}

}  // namespace dpbudget::shuffle
