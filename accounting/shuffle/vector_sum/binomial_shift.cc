#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

namespace dpbudget::shuffle {
namespace {

// log of the sum over i of (P(i) - e^epsilon P(i + shift))_+.
double log_one_direction(const BinomialNoise& noise, double shift, double epsilon) {
  const double trials = noise.trials();
  // P's excess is positive from some i on; at i = trials there is nothing to compare it with.
  const auto excess = [&](double i, double offset) { return -std::expm1(epsilon + noise.log_ratio(i, offset, shift)); };
  const auto none = [&](std::uint64_t i) { return !(excess(static_cast<double>(i), 0) > 0); };
  double first = 0;
  if (none(0)) {
    const double guess = noise.law().mean() + (epsilon / shift) * noise.variance();
    const auto start = to_integer<std::uint64_t>(std::clamp(std::floor(guess), 0.0, trials - 1), "count");
    first =
        static_cast<double>(numeric::largest_that_fits(start, to_integer<std::uint64_t>(trials, "trials"), none)) + 1;
  }
  const double slope = first + shift > trials ? infinity : shift * (1 / (first + 1) + 1 / (trials - first));
  return numeric::log_weighted_tail(noise.law(), first, {[&](double offset) { return excess(first, offset); }, slope});
}

}  // namespace

double binomial_shift_log_delta(double trials, double probability, double shift, double epsilon) {
  const BinomialNoise noise(trials, probability);
  require(0 <= shift && shift <= static_cast<double>(ranges::max_count) && shift == std::floor(shift), "shift", shift,
          "an integer in [0, 2^53]");
  ranges::epsilon(epsilon);
  if (shift == 0) return -infinity;
  if (shift > trials) return 0;
  return std::min(
      0.0, std::max(log_one_direction(noise, shift, epsilon), log_one_direction(noise.reversed(), shift, epsilon)));
}

double binomial_shift_delta(double trials, double probability, double shift, double epsilon) {
  return std::exp(binomial_shift_log_delta(trials, probability, shift, epsilon));
}

}  // namespace dpbudget::shuffle
