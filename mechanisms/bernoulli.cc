#include "dpbudget/mechanisms/bernoulli.h"

#include <bit>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::mechanisms {
namespace {

void require_probability(double probability) {
  require(0 <= probability && probability <= 1, "probability", probability, "in [0, 1]");
}

std::uint64_t heads_of_fair_coins(std::uint64_t coins, Stream& stream) {
  std::uint64_t heads = 0;
  for (; coins >= 64; coins -= 64) heads += static_cast<std::uint64_t>(std::popcount(stream()));
  if (coins > 0) heads += static_cast<std::uint64_t>(std::popcount(stream() >> (64 - coins)));
  return heads;
}

}  // namespace

bool bernoulli(double probability, Stream& stream) {
  require_probability(probability);
  if (probability == 1) return true;
  // Digits in base 2^64; scaling by a power of two and taking the integer part off are exact.
  while (probability > 0) {
    probability *= 0x1p64;
    const double digit = std::floor(probability);
    probability -= digit;
    const std::uint64_t uniform_digit = stream();
    const auto own_digit = to_integer<std::uint64_t>(digit, "digit");
    if (uniform_digit != own_digit) return uniform_digit < own_digit;
  }
  return false;
}

bool bernoulli_of_odds(double odds, Stream& stream) {
  require(0 <= odds && std::isfinite(odds), "odds", odds, "finite and at least 0");
  // The rarer side s <= 1/2 is tossed: it has two roundings of 2^-53 each, and d log(s / (1 - s)) = ds / s / (1 - s).
  if (odds <= 1) return bernoulli(odds / (1 + odds), stream);
  return !bernoulli(1 / (1 + odds), stream);
}

std::uint64_t binomial(std::uint64_t trials, double probability, Stream& stream) {
  require_probability(probability);
  // Every trial compares a uniform number with the probability, all at once, by binary digits: those whose digit
  // differs are decided, and the others, about half, go on to the next digit.
  std::uint64_t successes = 0;
  while (trials > 0 && probability > 0) {
    const std::uint64_t ones = heads_of_fair_coins(trials, stream);
    probability *= 2;
    if (probability >= 1) {
      probability -= 1;
      successes += trials - ones;
      trials = ones;
    } else {
      trials -= ones;
    }
  }
  return successes;
}

}  // namespace dpbudget::mechanisms
