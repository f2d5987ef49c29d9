#include "dpbudget/accounting/approximate/sampling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/approximate/reference.h"
#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

// accounting/approximate/proofs.md, 3.4
RC_GTEST_PROP(Sampling, IsTheClosedFormInFiftyDigits, ()) {
  const double epsilon = log_uniform(1e-12, 2000);
  const double rate = log_uniform(1e-270, 1);
  const Precise truth = boost::math::log1p(Precise(rate * Precise(boost::math::expm1(Precise(epsilon)))));
  const EpsilonLogDelta found = amplify_by_sampling(epsilon, 1e-5, rate);
  RC_ASSERT(abs(found.epsilon - truth) <= 1e-12 * truth);
  RC_ASSERT(std::abs(found.log_delta - std::log(rate) - std::log(1e-5)) < 1e-12);
}

TEST(Sampling, AnswersAtTheEdges) {
  EXPECT_EQ(amplify_by_sampling(0.5, 1e-6, 1).epsilon, 0.5);
  EXPECT_EQ(amplify_by_sampling(5, 0.3, 0).epsilon, 0);
  EXPECT_EQ(amplify_by_sampling(5, 0.3, 0).log_delta, -infinity);
  EXPECT_EQ(amplify_by_sampling(1e300, 0, 0.3).epsilon, 1e300);
  EXPECT_NEAR(amplify_by_sampling(1e-9, 0, 1e-6).epsilon, 1.00000000049999995e-15, 1e-29);
}

double binomial_sum(double epsilon, double mu, int population, int draws) {
  double sum = 0;
  double choose = 1;
  for (int k = 1; k <= draws; ++k) {
    choose *= static_cast<double>(draws - k + 1) / k;
    sum += choose * std::pow(1.0 / population, k) * std::pow(1 - 1.0 / population, draws - k) *
           std::exp(profile::gaussian_log_delta(epsilon, 1 / (mu * k)));
  }
  return sum;
}

RC_GTEST_PROP(WithReplacement, IsTheSumOverTheNumberOfTimesDrawn, ()) {
  const int population = *rc::gen::inRange(2, 500);
  const int draws = *rc::gen::inRange(1, 200);
  const double epsilon = log_uniform(1e-3, 3);
  const double mu = log_uniform(0.05, 3);
  const double sum = binomial_sum(epsilon, mu, population, draws);
  const EpsilonLogDelta found = amplify_with_replacement_gaussian(epsilon, mu, population, draws);
  RC_ASSERT(std::abs(found.log_delta - std::log(sum)) < 1e-11);
  const double drawn = 1 - std::pow(1 - 1.0 / population, draws);
  RC_ASSERT(std::abs(found.epsilon - std::log(1 + drawn * (std::exp(epsilon) - 1))) < 1e-12);
}

// With a delta of 1 for all, the sum is the probability of being drawn at all.
RC_GTEST_PROP(WithReplacement, LeavesNothingOut, ()) {
  const double population = std::floor(log_uniform(2, 1e12));
  const double draws = std::floor(log_uniform(1, 1e9));
  const double drawn = -std::expm1(draws * std::log1p(-1 / population));
  const EpsilonLogDelta found = amplify_with_replacement(1, population, draws, [](double) { return 0.0; });
  RC_ASSERT(std::abs(found.log_delta - std::log(drawn)) < 1e-11);
}

// 20 digits by mpmath.
TEST(WithReplacement, KeepsItsDigits) {
  EXPECT_NEAR(amplify_with_replacement_gaussian(1, 0.5, 1000, 10).log_delta, -9.5197414014060116837, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(0.5, 0.2, 100, 100).log_delta, -4.3156604209875018342, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(2, 0.01, 50, 20).log_delta, -132.34266452208274027, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(1, 0.001, 1000, 100).log_delta, -485.38546810422053774, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(0.1, 1, 1e+06, 100000).log_delta, -3.3515789724777531818, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(0, 0.3, 100, 50).log_delta, -2.8260630628431741274, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(1, 0.001, 1000, 200000).log_delta, -16.510216914180849867, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(5, 100, 10, 4).log_delta, -1.0674043615439165292, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(1, 1e-05, 1e+09, 1e+06).log_delta, -17628.800438455928188, 1e-9);
  EXPECT_NEAR(amplify_with_replacement_gaussian(0.5, 2, 1e+12, 1000).log_delta, -21.235449685338952157, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(1, 0.3, 2, 30).log_delta, -0.061816220237994633439, 1e-11);
  EXPECT_NEAR(amplify_with_replacement_gaussian(0.001, 0.0001, 10000, 1000).log_delta, -25.497190967648084374, 1e-11);
}

TEST(WithReplacement, AnswersAtTheEdges) {
  const EpsilonLogDelta certain = amplify_with_replacement_gaussian(1, 0.5, 1, 3);
  EXPECT_DOUBLE_EQ(certain.epsilon, 1);
  EXPECT_DOUBLE_EQ(certain.log_delta, profile::gaussian_log_delta(1, 1 / 1.5));
  EXPECT_EQ(amplify_with_replacement_gaussian(1, 1e-200, 10, 1000).log_delta, -infinity);
  EXPECT_NEAR(amplify_with_replacement_gaussian(5, 1e300, 10, 1).log_delta, std::log(0.1), 1e-14);
  EXPECT_THROW(amplify_with_replacement_gaussian(1, 1e-13, 2, 1e9), Unsupported);
}

TEST(Sampling, RefusesWhatIsOutOfRange) {
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(amplify_by_sampling(bad, 0, 0.5), InvalidArgument);
    EXPECT_THROW(amplify_by_sampling(1, bad, 0.5), InvalidArgument);
    EXPECT_THROW(amplify_by_sampling(1, 0, bad), InvalidArgument);
    EXPECT_THROW(amplify_with_replacement_gaussian(bad, 1, 10, 10), InvalidArgument);
    EXPECT_THROW(amplify_with_replacement_gaussian(1, bad, 10, 10), InvalidArgument);
    EXPECT_THROW(amplify_with_replacement_gaussian(1, 1, bad, 10), InvalidArgument);
    EXPECT_THROW(amplify_with_replacement_gaussian(1, 1, 10, bad), InvalidArgument);
  }
  EXPECT_THROW(amplify_with_replacement_gaussian(1, 1, 10.5, 10), InvalidArgument);
  EXPECT_THROW(amplify_with_replacement_gaussian(1, 1, 10, 1e10), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
