#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "accounting/shuffle/vector_sum/shifted_binomial.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

// By mpmath in 60 digits: term by term, and by integrals with two Euler-Maclaurin corrections where the standard
// deviation is above 2 10^4.
TEST(BinomialShift, HasTheReferenceValues) {
  struct Case {
    double trials, probability, shift, epsilon, log_delta;
  };
  const std::vector<Case> cases = {
      {1000.0, 0.3, 1.0, 0.1, -5.9812332290271944909},
      {1000.0, 0.5, 5.0, 0.3, -3.3970381742986801009},
      {10.0, 0.25, 3.0, 0.0, -0.32911317349077859178},
      {50.0, 0.5, 20.0, 1.0, -0.0068604206392141336261},
      {100000.0, 0.001, 2.0, 0.5, -6.8878464552848739089},
      {1000000000.0, 0.5, 1.0, 0.0001, -13.385900863367755222},
      {1000000000.0, 0.25, 100.0, 0.02, -11.885457153533318804},
      {1000000000.0, 0.25, 5000.0, 1.5, -12.60445352734365876},
      {1000000.0, 1e-09, 1.0, 2.0, -0.0010000000005000000626},
      {20.0, 0.9999999999990905, 1.0, 10.0, -1.8189894035466836564e-11},
      {9007199254740992.0, 0.5, 1.0, 1e-08, -19.256252920191810029},
      {9007199254740992.0, 0.25, 1000.0, 0.0001, -22.963808951308671381},
      {1000000000000.0, 0.5, 300.0, 0.003, -24.161382107387750717},
      {100000.0, 0.5, 100.0, 6.0, -47.937177988990423239},
      {30.0, 0.3, 1.0, 80.0, -10.700248318161970892},
      {1000000000000.0, 0.9999999990686774, 2.0, 0.05, -4.7348021019512523409},
      {1000000000000.0, 9.313225746154785e-10, 2.0, 0.05, -4.7348021019512523409},
      {9007199254740992.0, 0.9999990463256836, 1.0, 1e-05, -13.784602815497247739},
      {1000000.0, 0.01, 900.0, 1.0, -9.9275251513722574069e-6},
  };
  for (const auto& [trials, probability, shift, epsilon, log_delta] : cases)
    EXPECT_NEAR(binomial_shift_log_delta(trials, probability, shift, epsilon), log_delta,
                (trials > 1e15 ? 1e-10 : 1e-12) + 1e-13 * std::abs(log_delta))
        << trials << ' ' << probability << ' ' << shift << ' ' << epsilon;
}

RC_GTEST_PROP(BinomialShift, IsTheHockeyStickOfItsMasses, ()) {
  const int trials = *rc::gen::inRange(1, 300);
  const double p = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 0.9999) : 1 - log_uniform(1e-9, 0.5);
  const int shift = *rc::gen::inRange(1, trials + 3);
  const double epsilon = *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-3, 30);
  const Precise truth = testing::hockey_stick(trials, p, shift, epsilon);
  const double value = binomial_shift_log_delta(trials, p, shift, epsilon);
  // The exact p is known to a relative 1e-16, and its powers to as many times that.
  const auto log_truth = static_cast<double>(log(truth));
  RC_ASSERT(std::abs(value - log_truth) <= 1e-12 + 1e-13 * std::abs(log_truth));
}

// accounting/shuffle/vector_sum/proofs.md, 3.3
RC_GTEST_PROP(BinomialShift, GrowsWithTheShiftAndFallsWithEpsilon, ()) {
  const double trials = std::floor(log_uniform(1, 9e15));
  const double p = log_uniform(1e-6, 0.9);
  const double shift = std::floor(log_uniform(1, std::max(2.0, std::sqrt(trials))));
  const double epsilon = log_uniform(1e-6, 5) * shift / std::sqrt(trials * p * (1 - p));
  const double value = binomial_shift_log_delta(trials, p, shift, epsilon);
  const double slack = 1e-9 + 1e-11 * std::abs(value);
  RC_ASSERT(binomial_shift_log_delta(trials, p, shift + 1, epsilon) >= value - slack);
  RC_ASSERT(binomial_shift_log_delta(trials, p, shift, 1.01 * epsilon) <= value + slack);
  RC_ASSERT(std::abs(binomial_shift_log_delta(trials, 1 - p, shift, epsilon) - value) <= 1e-8 * (1 + std::abs(value)));
}

TEST(BinomialShift, HasItsLimits) {
  EXPECT_EQ(binomial_shift_log_delta(10, 0.5, 0, 0), -infinity);
  EXPECT_EQ(binomial_shift_delta(10, 0.5, 0, 0), 0);
  EXPECT_EQ(binomial_shift_delta(10, 0.5, 11, 100), 1);
  // All successes alone tell the two apart for certain.
  EXPECT_NEAR(binomial_shift_log_delta(2000, 0.5, 1, 50), -2000 * std::log(2), 1e-9);
  EXPECT_EQ(binomial_shift_delta(2000, 0.5, 1, 50), 0);
  EXPECT_NEAR(binomial_shift_log_delta(1, 1e-300, 1, 0), 0, 1e-15);
}

// Sums of steps, their integral and differences of log masses agree where one takes over from another.
RC_GTEST_PROP(BinomialNoise, RatiosAddUp, ()) {
  const double trials = std::floor(log_uniform(1e4, 1e15));
  const BinomialNoise noise(trials, log_uniform(1e-2, 0.99));
  const double i = std::floor(noise.law().mean() + (*rc::gen::inRange(-5000, 5000) / 1e3) * noise.law().deviation());
  RC_PRE(0 <= i && i + 200 <= trials);
  const double at_once = noise.log_ratio(i, 0, 150);
  const double in_parts = noise.log_ratio(i, 0, 50) + noise.log_ratio(i + 50, 0, 60) + noise.log_ratio(i, 110, 40);
  RC_ASSERT(std::abs(at_once - in_parts) <= 1e-12 * (1e-3 + std::abs(at_once)) + 150e-14 * std::abs(at_once));
  RC_ASSERT(noise.log_ratio(i, 0, 150) >= noise.log_ratio(i + 1, 0, 150) - 1e-12);
  RC_ASSERT(std::abs(noise.reversed().reversed().log_ratio(i, 0, 3) - noise.log_ratio(i, 0, 3)) < 1e-13);
}

RC_GTEST_PROP(BinomialNoise, BoundsItsMassesAndTails, ()) {
  const int trials = *rc::gen::inRange(1, 300);
  const double p = log_uniform(1e-3, 0.999);
  const BinomialNoise noise(trials, p);
  const std::vector<Precise> mass = testing::binomial_masses(trials, p);
  Precise tail = 0;
  for (int i = trials; i >= 0; --i) {
    const Precise& here = mass[static_cast<std::size_t>(i)];
    tail += here;
    if (here < 1e-290) continue;
    RC_ASSERT(noise.mass_lower(i) <= here);
    RC_ASSERT(here <= noise.mass_upper(i));
    RC_ASSERT(noise.mass_upper(i) <= here * (1 + 1e-9));
    RC_ASSERT(tail <= noise.tail_upper(i) + 1e-14);
  }
  const double at = noise.tail_point(1e-6);
  RC_ASSERT(at == trials || noise.tail_upper(at) <= 1e-6);
  RC_ASSERT(at <= noise.law().mode() + 1 || noise.tail_upper(at - 1) > 1e-6);
}

TEST(BinomialShift, RefusesWhatIsOutOfRange) {
  for (const double bad : {0.0, -1.0, 1.5, 1e16, nan})
    EXPECT_THROW(binomial_shift_log_delta(bad, 0.5, 1, 1), InvalidArgument);
  for (const double bad : {0.0, 1.0, -0.1, nan}) EXPECT_THROW(binomial_shift_log_delta(10, bad, 1, 1), InvalidArgument);
  for (const double bad : {-1.0, 0.5, 1e17, nan}) EXPECT_THROW(binomial_shift_delta(10, 0.5, bad, 1), InvalidArgument);
  for (const double bad : {-1.0, infinity, nan}) EXPECT_THROW(binomial_shift_delta(10, 0.5, 1, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::shuffle
