#include "dpbudget/accounting/numeric/weighted_tail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/random_event.h"

namespace dpbudget::numeric {

namespace {

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

RC_GTEST_PROP(WeightedTail, OfBothSidesIsAll, ()) {
  const double count = std::floor(log_uniform(1, 1e13));
  const Binomial binomial = Binomial::of_odds(count, log_uniform(1e-2, 10) / std::sqrt(count));
  const double first = std::clamp(
      std::floor(binomial.mean() + (*rc::gen::inRange(-20000, 20000) / 1e3) * binomial.deviation()), 1.0, count);
  const Weight one{[](double) { return 1.0; }};
  const double above = std::exp(log_weighted_tail(binomial, first, one));
  const double below = std::exp(log_weighted_tail(binomial.reversed(), count - first + 1, one));
  RC_ASSERT(std::abs(above + below - 1) <= 2e-11);
}

// accounting/numeric/proofs.md, 4.8
RC_GTEST_PROP(WeightedTail, IsTheSumOfItsTerms, ()) {
  const double count = std::floor(log_uniform(1e6, 1e8));
  const Binomial binomial = Binomial::of_odds(count, log_uniform(1e-3, 1));
  const double first = std::floor(binomial.mean() + log_uniform(0.1, 12) * binomial.deviation());
  RC_PRE(first < count);
  const double slope = log_uniform(1e-4, 10);
  const Weight weight{[=](double offset) { return -std::expm1(-slope * (offset + 1)); }, slope};
  double sum = 0;
  double term = 1;
  for (double j = first; j <= count && term > 1e-18 * sum; ++j) {
    term = std::exp(binomial.log_mass(j) - binomial.log_mass(first)) * weight.at(j - first);
    sum += term;
  }
  const double truth = binomial.log_mass(first) + std::log(sum);
  RC_ASSERT(std::abs(log_weighted_tail(binomial, first, weight) - truth) <= 2e-11 + 2e-14 * std::abs(truth));
}

TEST(WeightedTail, IsEmptyBeyondTheCount) {
  EXPECT_EQ(log_expected_excess(Binomial::of_odds(5, 1), 6, 1), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dpbudget::numeric
