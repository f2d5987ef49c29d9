#include "dpbudget/accounting/shuffle/vector_sum/normal_scores.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

double scaled_slope(double trials, double probability, double tail) {
  const BinomialNoise noise(trials, probability);
  return normal_domination(noise, tail).slope * std::sqrt(noise.variance());
}

// The largest difference of normal scores between the tails, by mpmath in 40 digits.
// accounting/shuffle/vector_sum/proofs.md, 2.1
TEST(NormalDomination, HasTheLargestFallOfTheScores) {
  EXPECT_NEAR(scaled_slope(100, 0.5, 1e-10), 1.125824136240593543, 1e-5);
  EXPECT_NEAR(scaled_slope(400, 0.25, 1e-10), 1.1867190616585006708, 1e-5);
}

TEST(NormalDomination, TendsToTheStandardDeviation) {
  for (const double p : {0.5, 0.25, 0.9}) {
    EXPECT_NEAR(scaled_slope(1e12, p, 1e-15), 1, 4e-4);
    EXPECT_GT(scaled_slope(1e12, p, 1e-15), 1);
    EXPECT_NEAR(scaled_slope(9e15, p, 1e-250), 1, 2e-3);
  }
}

// Below the bound for every shift and epsilon: G(a + t) - t is within t of G in the hockey-stick, on both sides.
// accounting/shuffle/vector_sum/proofs.md, 1.1
RC_GTEST_PROP(NormalDomination, HoldsForEveryShift, ()) {
  const double trials = std::floor(log_uniform(500, 1e9));
  const double p = *rc::gen::inRange(100, 900) / 1e3;
  const double tail = log_uniform(1e-13, 1e-3);
  const BinomialNoise noise(trials, p);
  const NormalDomination normal = normal_domination(noise, tail);
  RC_ASSERT(normal.tail == tail);
  const double deviation = std::sqrt(noise.variance());
  const double shift = std::floor(log_uniform(1, 1 + 4 * deviation));
  const double epsilon = log_uniform(1e-3, 6) * shift / deviation;
  const double bound =
      std::exp(profile::gaussian_log_delta(epsilon, 1 / (shift * normal.slope))) + (1 + std::exp(epsilon)) * tail;
  RC_ASSERT(binomial_shift_delta(trials, p, shift, epsilon) <= bound * (1 + 1e-11));
}

// What the blocks lose: 0.02 standard deviations at a time, against one outcome at a time.
// accounting/shuffle/vector_sum/proofs.md, 2.1
TEST(NormalDomination, LosesLittleInBlocks) {
  for (const double p : {0.5, 0.3}) {
    const double single = scaled_slope(std::ceil(99.0 * 99 / (p * (1 - p))), p, 1e-12);
    const double blocks = scaled_slope(std::ceil(101.0 * 101 / (p * (1 - p))), p, 1e-12);
    EXPECT_NEAR(blocks, single, 1e-3);
  }
}

TEST(NormalDomination, RefusesWhatIsOutOfRange) {
  const BinomialNoise noise(1000, 0.5);
  for (const double bad : {0.0, -1.0, 0.3, 1e-290, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(normal_domination(noise, bad), InvalidArgument);
  EXPECT_THROW(normal_domination(BinomialNoise(10, 0.5), 1e-6), Unsupported);
  EXPECT_THROW(normal_domination(BinomialNoise(1000, 1e-3), 1e-6), Unsupported);
}

}  // namespace
}  // namespace dpbudget::shuffle
