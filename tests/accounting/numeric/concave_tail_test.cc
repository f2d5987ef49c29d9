#include "dpbudget/accounting/numeric/concave_tail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"

namespace dpbudget::numeric {

namespace {

using dpbudget::testing::log_uniform;
using Precise = boost::multiprecision::cpp_bin_float_50;

// Sums over P(i) from `first` on by their definition, outwards from the mode; terms far below the largest are left out.
struct Sums {
  Precise masses = 0;
  Precise places = 0;        // i - first
  Precise exponentials = 0;  // e^(-slope (i - first))
};
Sums added(int count, double log_odds, int first, double slope) {
  const Precise odds = exp(Precise(log_odds));
  const Precise fall = exp(-Precise(slope));
  const auto log_factorial = [](int k) { return lgamma(Precise(k + 1)); };
  const int mode = std::max(first, static_cast<int>(count / (1 + std::exp(-log_odds))));
  const Precise at_mode = exp(log_factorial(count) - log_factorial(mode) - log_factorial(count - mode) -
                              count * log1p(1 / odds) - Precise(count - mode) * Precise(log_odds));
  const Precise settled_at_mode = exp(-Precise(slope) * (mode - first));
  const Precise least = 1e-30 * at_mode;
  Sums sums;
  const auto add = [&](int i, const Precise& mass, const Precise& settled) {
    sums.masses += mass;
    sums.places += mass * (i - first);
    sums.exponentials += mass * settled;
  };
  Precise mass = at_mode;
  Precise settled = settled_at_mode;
  for (int i = mode; i <= count && mass > least; ++i) {
    add(i, mass, settled);
    mass *= odds * (count - i) / (i + 1);
    settled *= fall;
  }
  mass = at_mode;
  settled = settled_at_mode;
  for (int i = mode - 1; i >= first && mass > least; --i) {
    mass *= Precise(i + 1) / (count - i) / odds;
    settled /= fall;
    add(i, mass, settled);
  }
  return sums;
}

Bracket exactly(double value) { return {value * (1 - 1e-15), value * (1 + 1e-15)}; }

// Weights on a straight line, and weights that settle.
// accounting/numeric/proofs.md, 4.1, 4.2, 4.4 and 4.6
RC_GTEST_PROP(ConcaveTail, EnclosesTheSumOfItsTerms, ()) {
  const int count = static_cast<int>(log_uniform(1, 1e8));
  const double log_odds = *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-6, 8);
  const Binomial law = Binomial::of_odds(count, log_odds);
  const double position = (*rc::gen::inRange(-12000, 7000) / 1e3) * law.deviation();
  const double first = std::clamp(std::floor(law.mean() + position), 0.0, static_cast<double>(count));
  const double slope = log_uniform(1e-3, 30) / (law.deviation() + 1);
  const double start = *rc::gen::inRange(0, 100) / 1e2;
  const Sums sums = added(count, log_odds, static_cast<int>(first), slope);
  const auto holds = [&](const ConcaveWeight& weight, const Precise& truth) {
    if (truth < 1e-280) return;
    const auto [lower, upper] = log_concave_tail(law, first, weight);
    const Precise log_truth = log(truth);
    RC_ASSERT(lower <= log_truth);
    RC_ASSERT(log_truth <= upper);
    RC_ASSERT(upper - lower < 1e-6);
  };
  holds({[=](double i) { return exactly(start + slope * (i - first)); }}, start * sums.masses + slope * sums.places);
  holds({[=](double i) { return exactly(-std::expm1(-start - slope * (i - first))); }, slope},
        sums.masses - exp(-Precise(start)) * sums.exponentials);
}

// accounting/numeric/proofs.md, 4.5
TEST(ConcaveTail, TakesWhatIsUncertainAtTheFirstWeightToBothSides) {
  const Binomial law = Binomial::of_odds(100, 0);
  const ConcaveWeight uncertain{[](double i) { return Bracket{i - 50.25, i - 49.75}; }};
  const auto [lower, upper] = log_concave_tail(law, 50, uncertain);
  // E[(X - 50.25)_+] and E[(X - 49.75)_+].
  const Sums above = added(100, 0, 51, 1);
  const Sums from = added(100, 0, 50, 1);
  EXPECT_LE(lower, static_cast<double>(log(above.places + 0.75 * above.masses)));
  EXPECT_GE(upper, static_cast<double>(log(from.places + 0.25 * from.masses)));
  EXPECT_LT(upper - lower, 0.5);
}

// Masses move by |i - mean| times what the log odds do.
// accounting/numeric/proofs.md, 4.6
TEST(ConcaveTail, HoldsForAllLogOddsWithinTheirError) {
  const ConcaveWeight one{[](double) { return Bracket{1, 1}; }};
  const auto [lower, upper] = log_concave_tail(Binomial::of_odds(1000, 0.5), 640, one, 1e-3);
  for (const double moved : {-1e-3, 1e-3}) {
    const auto [inner_lower, inner_upper] = log_concave_tail(Binomial::of_odds(1000, 0.5 + moved), 640, one);
    EXPECT_LE(lower, inner_lower);
    EXPECT_LE(inner_upper, upper);
  }
}

TEST(ConcaveTail, IsOneTermAtTheLastOutcome) {
  const Binomial law = Binomial::of_odds(2000, 0);
  const auto [lower, upper] = log_concave_tail(law, 2000, {[](double) { return Bracket{1, 1}; }});
  EXPECT_LE(lower, -2000 * std::log(2));
  EXPECT_GE(upper, -2000 * std::log(2));
  EXPECT_LT(upper - lower, 1e-9);
}

TEST(ConcaveTail, KnowsNothingOfWeightsBeyondADouble) {
  const double infinity = std::numeric_limits<double>::infinity();
  const ConcaveWeight unknown{[=](double i) { return i < 5 ? Bracket{-infinity, 1} : Bracket{1, 1}; }};
  const auto [lower, upper] = log_concave_tail(Binomial::of_odds(1e15, 0), 0, unknown);
  EXPECT_EQ(upper, infinity);
  EXPECT_NEAR(lower, 0, 1e-5);
}

// accounting/numeric/proofs.md, 3.3
TEST(Binomial, RatiosKeepTheirDigits) {
  for (const double log_odds : {0.0, 1e-3, 2.0, 20.0}) {
    for (const double count : {1.0, 40.0, 1e4, 1e9, 9e15}) {
      const Binomial law = Binomial::of_odds(count, log_odds);
      const Precise odds = exp(Precise(log_odds));
      for (const double deviations : {-8.0, -1.0, 0.0, 0.5, 7.0}) {
        const double from = std::clamp(std::floor(law.mean() + deviations * law.deviation()), 0.0, count);
        for (const double shift : {0.0, 1.0, 2.0, 30.0, 400.0}) {
          const auto [value, error] = law.log_ratio(from, shift);
          if (from + shift > count) {
            EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
            continue;
          }
          Precise truth = 0;
          for (int t = 0; t < shift; ++t) truth += log(odds * (Precise(count) - from - t) / (Precise(from) + 1 + t));
          EXPECT_LE(abs(value - truth), error) << count << ' ' << log_odds << ' ' << from << ' ' << shift;
          if (count >= 1e9 && log_odds < 3) {
            EXPECT_LE(error, (1e-12 / law.deviation() + 0x1p-56) * shift + 1e-20);
          }
        }
      }
    }
  }
}

TEST(GeometricSum, OfExponentials) {
  EXPECT_EQ(exponential_sum(0, 7), 7);
  EXPECT_NEAR(exponential_sum(std::log(2), 5), 31, 1e-13);
  EXPECT_NEAR(exponential_sum(-1e-9, 1e3), 1e3 - 1e-9 * 499500, 1e-9);
}

}  // namespace
}  // namespace dpbudget::numeric
