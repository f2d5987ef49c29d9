#include "dpbudget/accounting/shuffle/weighted_tail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/guarantee.h"
#include "dpbudget/accounting/approximate/tail_sum.h"

namespace dpbudget::shuffle {
namespace {

using approximate::Binomial;
using dpbudget::testing::log_uniform;

// E[(X - c)_+] - E[(c - X)_+] is the mean less c, whichever sum is added and whichever integrated.
RC_GTEST_PROP(ExpectedExcess, OfBothSidesIsTheMean, ()) {
  const double count = std::floor(log_uniform(1, 1e15));
  const Binomial binomial = Binomial::of_odds(count, log_uniform(1e-6, 5));
  const double position = (*rc::gen::inRange(-4000, 4000) / 1e3) * binomial.deviation();
  const double first = std::clamp(std::floor(binomial.mean() + position), 0.0, count);
  const double excess = *rc::gen::inRange(1, 1001) / 1e3;
  const double above = std::exp(log_expected_excess(binomial, first, excess));
  // c = first - excess; from the other side, n - c = (n - first + 1) - (1 - excess).
  const double below = std::exp(log_expected_excess(binomial.reversed(), count - first + 1, 1 - excess + 1e-300));
  const double difference = (binomial.mean() - first) + excess;
  RC_ASSERT(std::abs(above - below - difference) <= 1e-11 * (above + below) + 1e-15 * binomial.mean());
}

RC_GTEST_PROP(WeightedTail, AgreesWithTheTailSumOfItsWeights, ()) {
  const double count = std::floor(log_uniform(1, 1e13));
  const double log_odds = log_uniform(1e-2, 10) / std::sqrt(count);
  const Binomial binomial = Binomial::of_odds(count, log_odds);
  const double first = std::clamp(
      std::floor(binomial.mean() + (*rc::gen::inRange(-20000, 20000) / 1e3) * binomial.deviation()), 0.0, count);
  const approximate::TailWeight weight{-log_uniform(1e-9, 1), 2 * log_odds};
  const double truth = approximate::log_tail_sum(binomial, first, weight);
  const double value = log_weighted_tail(binomial, first, {[&](double i) { return weight(i); }, weight.slope});
  RC_ASSERT(std::abs(value - truth) <= 2e-11 + 2e-14 * std::abs(truth));
}

TEST(WeightedTail, IsEmptyBeyondTheCount) {
  EXPECT_EQ(log_expected_excess(Binomial::of_odds(5, 1), 6, 1), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dpbudget::shuffle
