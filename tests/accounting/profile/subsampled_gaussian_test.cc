#include "dpbudget/accounting/profile/subsampled_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/poisson_gaussian.h"

namespace dpbudget::profile {
namespace {

RC_GTEST_PROP(SubsampledGaussianProfile, IsThatOfRemovalAboveZeroAndItsOwnReverse, ()) {
  const double rate = testing::log_uniform(1e-6, 1);
  const double mu = testing::log_uniform(1e-3, 10);
  const double epsilon = std::log1p(rate * std::expm1(testing::log_uniform(1e-4, 20) * mu));
  const double found = subsampled_gaussian_log_delta(rate, mu, epsilon);
  RC_ASSERT(found == poisson_gaussian_log_delta(rate, 1 / mu, epsilon, Direction::remove));
  const double reversed = std::exp(subsampled_gaussian_log_delta(rate, mu, -epsilon));
  RC_ASSERT(std::abs(reversed - (1 - std::exp(-epsilon) * (1 - std::exp(found)))) < 1e-14);
}

TEST(SubsampledGaussianProfile, SpendsNothingWithoutSamplingOrShift) {
  EXPECT_EQ(subsampled_gaussian_log_delta(0, 1, 0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(subsampled_gaussian_log_delta(0.5, 0, 0), -std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(subsampled_gaussian_log_delta(1, 0.5, 0.25), gaussian_log_delta(0.25, 2));
}

TEST(SubsampledGaussianProfile, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.1, nan}) EXPECT_THROW(subsampled_gaussian_log_delta(bad, 1, 1), InvalidArgument);
  for (const double bad : {-0.1, nan}) EXPECT_THROW(subsampled_gaussian_log_delta(0.5, bad, 1), InvalidArgument);
  EXPECT_THROW(subsampled_gaussian_log_delta(0.5, 1, nan), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::profile
