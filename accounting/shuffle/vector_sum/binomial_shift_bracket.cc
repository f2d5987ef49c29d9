#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift_bracket.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/concave_tail.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

namespace dpbudget::shuffle {
namespace {

using numeric::Bracket;
using numeric::unit;

// 1 - e^epsilon P(i + shift) / P(i), for the exact probability of the noise.
// accounting/shuffle/vector_sum/proofs.md, 5.2
class Weight {
 public:
  Weight(const BinomialNoise& noise, double shift, double epsilon) : noise_(noise), shift_(shift), epsilon_(epsilon) {}

  Bracket operator()(double i) const {
    const auto [log_ratio, ratio_error] = noise_.law().log_ratio(i, shift_);
    const double exponent = epsilon_ + log_ratio;
    const double error = ratio_error + shift_ * noise_.log_odds_error() + unit * epsilon_;
    return {raised(-std::expm1(exponent + error), -1), raised(-std::expm1(exponent - error), 1)};
  }

  // The outcome after the last that is shown to have no positive weight: weights grow.
  double first() const {
    const auto none = [&](std::uint64_t i) { return !((*this)(static_cast<double>(i)).upper > 0); };
    const double guess = noise_.law().mean() + epsilon_ / shift_ * noise_.variance() - shift_ / 2;
    const auto near = to_integer<std::uint64_t>(std::clamp(std::floor(guess), 0.0, noise_.trials() - 1), "outcome");
    const auto end = to_integer<std::uint64_t>(noise_.trials(), "trials");  // there is no outcome to compare it with
    const std::uint64_t last = numeric::largest_that_fits(near, end, none);
    return last == 0 && !none(0) ? 0 : static_cast<double>(last) + 1;
  }

  double bend(double first) const {
    return first + shift_ > noise_.trials() ? infinity : shift_ * (1 / (first + 1) + 1 / (noise_.trials() - first));
  }

 private:
  static double raised(double value, double direction) { return value + direction * unit * std::abs(value); }

  const BinomialNoise& noise_;
  double shift_;
  double epsilon_;
};

// accounting/shuffle/vector_sum/proofs.md, 5.1
Bracket one_direction(const BinomialNoise& noise, double shift, double epsilon) {
  const Weight weight(noise, shift, epsilon);
  const double first = weight.first();
  return numeric::log_concave_tail(noise.law(), first, {weight, weight.bend(first)}, noise.log_odds_error());
}

}  // namespace

Bracket binomial_shift_log_delta_bracket(double trials, double probability, double shift, double epsilon) {
  const BinomialNoise noise(trials, probability);
  require(0 <= shift && shift <= static_cast<double>(ranges::max_count) && shift == std::floor(shift), "shift", shift,
          "an integer in [0, 2^53]");
  ranges::epsilon(epsilon);
  if (shift == 0) return {-infinity, -infinity};
  if (shift > trials) return {0, 0};
  const Bracket forward = one_direction(noise, shift, epsilon);
  const Bracket backward = probability == 0.5 ? forward : one_direction(noise.reversed(), shift, epsilon);
  return {std::min(0.0, std::max(forward.lower, backward.lower)),
          std::min(0.0, std::max(forward.upper, backward.upper))};
}

}  // namespace dpbudget::shuffle
