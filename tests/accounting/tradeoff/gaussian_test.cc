#include "dpbudget/accounting/tradeoff/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_error;
using testing::log_uniform;
using testing::Precise;

// The test that rejects above t has the errors P(Z > t) and P(Z < t - mu), and by Neyman and Pearson none is better.
RC_GTEST_PROP(GaussianTradeOff, IsThatOfTheThresholdTests, ()) {
  const double mu = log_uniform(1e-12, 60);
  const double t = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 35) : -log_uniform(1e-3, 6);
  const auto type_one_error = static_cast<double>(testing::upper_tail(t));
  // What the error is off by from that of t.
  const Precise back =
      t + (testing::upper_tail(t) - type_one_error) * sqrt(2 * acos(Precise(-1))) * exp(Precise(t) * t / 2);
  RC_ASSERT(log_error(gaussian_log_type_two_error(mu, type_one_error), testing::upper_tail(mu - back)) < 1e-12);
  RC_ASSERT(log_error(std::log(gaussian_power(mu, type_one_error)), testing::upper_tail(back - mu)) < 1e-11);
}

RC_GTEST_PROP(GaussianTradeOff, HasTheProfileOfTheGaussian, ()) {
  const double mu = log_uniform(1e-3, 30);
  const double epsilon = log_uniform(1e-9, 30) * mu;
  // With 100 digits; the two terms agree in up to sixty of them.
  const Precise wide = mu;
  const Precise truth = testing::upper_tail(epsilon / wide - wide / 2) -
                        exp(Precise(epsilon)) * testing::upper_tail(epsilon / wide + wide / 2);
  RC_ASSERT(log_error(gaussian_to_log_delta(mu, epsilon), truth) < 1e-12);
}

TEST(GaussianTradeOff, HasItsEnds) {
  for (const double mu : {0.0, 1.0, 200.0}) {
    EXPECT_EQ(gaussian_log_type_two_error(mu, 0), 0);
    EXPECT_EQ(gaussian_log_type_two_error(mu, 1), -infinity);
    EXPECT_EQ(gaussian_power(mu, 0), 0);
    EXPECT_EQ(gaussian_power(mu, 1), 1);
  }
  EXPECT_DOUBLE_EQ(gaussian_log_type_two_error(0, 0.25), std::log(0.75));
  EXPECT_EQ(gaussian_to_log_delta(0, 0), -infinity);
}

TEST(GaussianTradeOff, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(gaussian_log_type_two_error(bad, 0.5), InvalidArgument);
    EXPECT_THROW(gaussian_power(bad, 0.5), InvalidArgument);
    EXPECT_THROW(gaussian_to_log_delta(bad, 1), InvalidArgument);
  }
  for (const double bad : {-1e-300, 1.1, nan}) {
    EXPECT_THROW(gaussian_log_type_two_error(1, bad), InvalidArgument);
    EXPECT_THROW(gaussian_power(1, bad), InvalidArgument);
  }
  for (const double bad : {infinity, nan}) EXPECT_THROW(gaussian_to_log_delta(1, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
