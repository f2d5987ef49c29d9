#include "dpbudget/accounting/numeric/tail_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/approximate/reference.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/log_math.h"

namespace dpbudget::numeric {

namespace {

using approximate::testing::Precise;
using dpbudget::testing::log_uniform;
constexpr TailWeight one{-infinity, 0};

// accounting/numeric/proofs.md, 3.1 and 3.2
RC_GTEST_PROP(Binomial, HasTheMassOfTheDefinition, ()) {
  const int count = *rc::gen::inRange(1, 400);
  const int successes = *rc::gen::inRange(0, count + 1);
  const double log_odds = log_uniform(1e-6, 50);
  Precise choose = 1;
  for (int i = 0; i < successes; ++i) choose *= Precise(count - i) / (i + 1);
  const Precise odds = exp(Precise(log_odds));
  const Precise truth = log(choose) + successes * log(odds) - count * log(1 + odds);
  const Binomial binomial = Binomial::of_odds(count, log_odds);
  const double value = binomial.log_mass(successes);
  RC_ASSERT(abs(value - truth) <= 1e-13 + 1e-14 * std::abs(value));
  RC_ASSERT(abs(value - truth) <= binomial.log_mass_error(value));
  const double reversed = binomial.reversed().log_mass(count - successes);
  RC_ASSERT(std::abs(reversed - value) <= 1e-13 + 1e-14 * std::abs(value));
}

TEST(Binomial, OfOneInSeveralIsThatOfTheirOdds) {
  const Binomial one_in = Binomial::of_one_in(30, 8);
  const Binomial odds = Binomial::of_odds(30, std::log(7)).reversed();
  for (int k = 0; k <= 30; ++k) EXPECT_NEAR(one_in.log_mass(k), odds.log_mass(k), 1e-12);
  EXPECT_EQ(Binomial::of_one_in(3, 1).log_mass(3), 0);
  EXPECT_EQ(Binomial::of_one_in(3, 1).log_mass(2), -infinity);
}

TEST(Binomial, HoldsWhereProbabilitiesAreBeyondADouble) {
  // log(5 p^4 q) with q = e^-800 next to 1 - p.
  EXPECT_NEAR(Binomial::of_odds(5, 800).log_mass(4), std::log(5) - 800, 1e-12);
  EXPECT_NEAR(Binomial::of_odds(1e12, 800).log_mass(1e12 - 1), std::log(1e12) - 800, 1e-11);
  EXPECT_DOUBLE_EQ(Binomial::of_odds(1e12, 30).log_mass(1e12), -1e12 * std::log1p(std::exp(-30)));
}

// A tail and the rest of the distribution make 1, whichever is added and whichever integrated.
RC_GTEST_PROP(TailSum, OfBothSidesIsOne, ()) {
  const double count = std::floor(log_uniform(1, 1e15));
  const Binomial binomial = Binomial::of_odds(count, log_uniform(1e-6, 5));
  const double position = binomial.mean() + (*rc::gen::inRange(-4000, 4000) / 1e3) * binomial.deviation();
  const double first = std::clamp(std::floor(position), 0.0, count);
  const double above = log_tail_sum(binomial, first, one);
  const double below = log_tail_sum(binomial.reversed(), count - first + 1, one);
  RC_ASSERT(std::abs(log_add(above, below)) < 1e-11);
}

// E[e^-loss] over a whole distribution is 1, so that the weights take the mass e^start off a whole tail.
RC_GTEST_PROP(TailSum, WeighsByTheReversedDistribution, ()) {
  const double count = std::floor(log_uniform(1, 1e12));
  const double log_odds = log_uniform(1e-3, 3) / std::sqrt(count);
  const Binomial binomial = Binomial::of_odds(count, log_odds);
  const double first = std::clamp(
      std::floor(binomial.mean() + (*rc::gen::inRange(-1000, 6000) / 1e3) * binomial.deviation()), 0.0, count);
  const double loss = std::fma(2 * first - count, log_odds, 0);
  const double start = -log_uniform(1e-3, 1);
  const double weighed = log_tail_sum(binomial, first, {start, 2 * log_odds});
  const double lost = start + loss + log_tail_sum(binomial.reversed(), first, one);
  RC_ASSERT(std::abs(log_add(weighed, lost) - log_tail_sum(binomial, first, one)) < 1e-10);
}

// accounting/numeric/proofs.md, 4.3 and 4.7
RC_GTEST_PROP(TailSum, IsWithinItsBracket, ()) {
  const double count = std::floor(log_uniform(1, 1e13));
  const double log_odds = log_uniform(1e-2, 10) / std::sqrt(count);
  const Binomial binomial = Binomial::of_odds(count, log_odds);
  const double first = std::clamp(
      std::floor(binomial.mean() + (*rc::gen::inRange(-20000, 20000) / 1e3) * binomial.deviation()), 0.0, count);
  const TailWeight weight{-log_uniform(1e-9, 1), 2 * log_odds};
  const double value = log_tail_sum(binomial, first, weight);
  const auto [lower, upper] = log_tail_sum_bracket(binomial, first, weight);
  const double error = 1e-11 + 1e-14 * std::abs(value);
  RC_ASSERT(lower <= value + error && value - error <= upper);
  RC_ASSERT(upper - lower < 3e-6);
}

TEST(TailSum, IsEmptyBeyondTheCount) {
  EXPECT_EQ(log_tail_sum(Binomial::of_odds(5, 1), 6, one), -infinity);
  EXPECT_EQ(log_tail_sum_bracket(Binomial::of_odds(5, 1), 6, one).upper, -infinity);
}

}  // namespace
}  // namespace dpbudget::numeric
