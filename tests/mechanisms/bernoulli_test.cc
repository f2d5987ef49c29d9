#include "dpbudget/mechanisms/bernoulli.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"
#include "mechanisms/stream_of.h"

namespace dpbudget::mechanisms {
namespace {

// The first 64 bits of the comparison against integer arithmetic on the double's bits.
RC_GTEST_PROP(Bernoulli, ComparesAUniformNumberWithTheProbability, (std::uint64_t step)) {
  const double probability = std::ldexp(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53), -53);
  Stream drawing = stream_of(21, step), same = stream_of(21, step);
  const auto scaled = static_cast<std::uint64_t>(std::ldexp(probability, 53)) << 11;
  RC_ASSERT(bernoulli(probability, drawing) == (same() < scaled));
  RC_ASSERT(drawing() == same());
}

// Streams whose first word w is small enough for a double to hold w and half a unit: (w + 1/2) 2^-64 shares its first
// digit with the uniform number, and the second word decides.
TEST(Bernoulli, GoesOnToLaterDigits) {
  int met = 0, below = 0;
  for (std::uint64_t step = 0; step < 100000; ++step) {
    Stream same = stream_of(21, step);
    const std::uint64_t word = same();
    if (word >> 52 != 0) continue;
    const bool second_below = same() >> 63 == 0;
    ++met;
    below += second_below ? 1 : 0;
    Stream drawing = stream_of(21, step), drawing_equal = stream_of(21, step);
    const auto digit = static_cast<double>(word);
    EXPECT_EQ(bernoulli(std::ldexp(digit + 0.5, -64), drawing), second_below);
    EXPECT_EQ(drawing(), same());
    // All digits the same and none left: the uniform number is not below.
    EXPECT_FALSE(bernoulli(std::ldexp(digit, -64), drawing_equal));
  }
  EXPECT_GT(below, 0);
  EXPECT_GT(met, below);
}

TEST(Bernoulli, IsCertainAtTheEnds) {
  Stream drawing = stream_of(21, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(bernoulli(0, drawing));
    EXPECT_TRUE(bernoulli(1, drawing));
    EXPECT_EQ(binomial(77, 0, drawing), 0u);
    EXPECT_EQ(binomial(77, 1, drawing), 77u);
    EXPECT_EQ(binomial(0, 0.5, drawing), 0u);
    EXPECT_FALSE(bernoulli_of_odds(0, drawing));
    EXPECT_TRUE(bernoulli_of_odds(1e300, drawing));
  }
}

TEST(Bernoulli, HasItsProbability) {
  const std::uint64_t draws = 200000;
  for (const double probability : {0.001, 0.2, 0.5, 2.0 / 3, 0.99}) {
    Stream drawing = stream_of(21, 2);
    std::vector<std::uint64_t> counts(2), of_odds(2);
    for (std::uint64_t i = 0; i < draws; ++i) ++counts[bernoulli(probability, drawing) ? 1 : 0];
    for (std::uint64_t i = 0; i < draws; ++i)
      ++of_odds[bernoulli_of_odds(probability / (1 - probability), drawing) ? 1 : 0];
    EXPECT_GT(goodness_of_fit(counts, {1 - probability, probability}), 1e-6) << probability;
    EXPECT_GT(goodness_of_fit(of_odds, {1 - probability, probability}), 1e-6) << probability;
  }
}

TEST(Binomial, HasItsLaw) {
  for (const std::uint64_t trials : {1, 7, 63, 64, 65, 200, 1000})
    for (const double probability : {0.003, 0.25, 0.5, 0.731, 0.999}) {
      const boost::math::binomial law(static_cast<double>(trials), probability);
      std::vector<double> probabilities;
      probabilities.reserve(trials + 1);
      for (std::uint64_t k = 0; k <= trials; ++k) probabilities.push_back(pdf(law, static_cast<double>(k)));
      Stream drawing = stream_of(21, 3);
      std::vector<std::uint64_t> counts(trials + 1);
      for (int i = 0; i < 8000; ++i) ++counts.at(binomial(trials, probability, drawing));
      EXPECT_GT(goodness_of_fit(counts, probabilities), 1e-6) << trials << ' ' << probability;
    }
}

// Mean and variance where no table of the law fits; 5 standard deviations: probability 6e-7.
TEST(Binomial, TakesManyTrials) {
  Stream drawing = stream_of(21, 4);
  const double trials = 1e6, probability = 1e-3;
  double sum = 0, squares = 0;
  const int draws = 300;
  for (int i = 0; i < draws; ++i) {
    const double z = (static_cast<double>(binomial(1000000, probability, drawing)) - trials * probability) /
                     std::sqrt(trials * probability * (1 - probability));
    sum += z;
    squares += z * z;
  }
  EXPECT_LT(std::abs(sum) / std::sqrt(draws), 5);
  EXPECT_LT(std::abs(squares - draws) / std::sqrt(2.0 * draws), 5);
}

TEST(Bernoulli, RefusesBeforeItDraws) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Stream drawing = stream_of(21, 5), untouched = stream_of(21, 5);
  for (const double bad : {-1e-300, 1 + 1e-15, infinity, nan}) {
    EXPECT_REFUSED("probability", bernoulli(bad, drawing));
    EXPECT_REFUSED("probability", binomial(10, bad, drawing));
  }
  for (const double bad : {-1e-300, infinity, nan}) EXPECT_REFUSED("odds", bernoulli_of_odds(bad, drawing));
  EXPECT_EQ(drawing(), untouched());
}

}  // namespace
}  // namespace dpbudget::mechanisms
