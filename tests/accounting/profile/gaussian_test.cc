#include "dpbudget/accounting/profile/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::profile {
namespace {

using testing::log_uniform;

double random_noise() { return log_uniform(0.01, 1e5); }

// Such that delta may be near 1, ordinary or tiny.
double random_epsilon(double noise) { return (log_uniform(1e-6, 60) + *rc::gen::inRange(0, 2) * 0.5 / noise) / noise; }

RC_GTEST_PROP(GaussianProfile, IsWithinItsError, ()) {
  const double noise = random_noise();
  const double epsilon = random_epsilon(noise);
  const auto truth = log(testing::gaussian_delta(epsilon, noise));
  const double error = gaussian_log_delta_error(epsilon, noise);
  RC_ASSERT(abs(gaussian_log_delta(epsilon, noise) - truth) <= error);
  const auto [lower, upper] = gaussian_log_delta_bound(noise, epsilon);
  RC_ASSERT(lower <= truth && truth <= upper);
}

RC_GTEST_PROP(GaussianProfile, HoldsBelowZeroToo, ()) {
  const double noise = random_noise();
  const double epsilon = -random_epsilon(noise);
  RC_PRE(epsilon > -700);
  RC_ASSERT(testing::log_error(gaussian_log_delta(epsilon, noise), testing::gaussian_delta(epsilon, noise)) < 1e-12);
}

RC_GTEST_PROP(GaussianProfile, BracketsEpsilonNarrowly, ()) {
  const double noise = random_noise();
  const double delta = log_uniform(1e-300, 0.9);
  const numeric::Bracket bound = gaussian_epsilon_bound(noise, delta);
  RC_ASSERT(bound.upper == 0 || testing::gaussian_delta(bound.upper, noise) <= delta);
  RC_ASSERT(bound.lower == 0 || testing::gaussian_delta(bound.lower, noise) >= delta);
  const double found = gaussian_epsilon(noise, delta);
  RC_ASSERT(bound.lower <= found && found <= bound.upper);
  if (delta < 1e-3 * std::erf(0.35 / noise)) RC_ASSERT(bound.upper - bound.lower <= 1e-11 * bound.upper);
}

RC_GTEST_PROP(GaussianProfile, CalibratesItsNoise, ()) {
  const double noise = random_noise();
  const double epsilon = (log_uniform(1e-6, 30) + 0.5 / noise) / noise;
  const double log_delta = gaussian_log_delta(epsilon, noise);
  const double found = gaussian_noise_multiplier(epsilon, std::exp(log_delta));
  RC_ASSERT(std::abs(gaussian_log_delta(epsilon, found) - log_delta) < 1e-11 * (1 + std::abs(log_delta)));
}

TEST(GaussianProfile, IsTheDistanceOfTheTwoLawsAtZero) {
  EXPECT_DOUBLE_EQ(gaussian_log_delta(0, 1), std::log(std::erf(0.5 / std::sqrt(2))));
  EXPECT_DOUBLE_EQ(gaussian_log_delta(0, 1e8), std::log(1e-8 / std::sqrt(2 * std::acos(-1.0))));
}

TEST(GaussianProfile, NeedsNoEpsilonForALargeDelta) {
  const numeric::Bracket bound = gaussian_epsilon_bound(10, 0.1);
  EXPECT_EQ(gaussian_epsilon(10, 0.1), 0);
  EXPECT_EQ(bound.lower, 0);
  EXPECT_EQ(bound.upper, 0);
}

TEST(GaussianProfile, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(gaussian_log_delta(1, bad), InvalidArgument);
    EXPECT_THROW(gaussian_epsilon(bad, 1e-5), InvalidArgument);
  }
  for (const double bad : {nan, infinity, -infinity}) EXPECT_THROW(gaussian_log_delta(bad, 1), InvalidArgument);
  for (const double bad : {0.0, 1.0, -0.1, nan}) {
    EXPECT_THROW(gaussian_epsilon(1, bad), InvalidArgument);
    EXPECT_THROW(gaussian_noise_multiplier(1, bad), InvalidArgument);
  }
  for (const double bad : {-1.0, 1e13, nan}) EXPECT_THROW(gaussian_noise_multiplier(bad, 1e-5), InvalidArgument);
  EXPECT_THROW(gaussian_noise_multiplier(0, 5e-324), InvalidArgument);
  EXPECT_THROW(gaussian_epsilon(1e-200, 1e-5), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::profile
