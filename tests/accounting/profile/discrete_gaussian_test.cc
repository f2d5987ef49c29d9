#include "dpbudget/accounting/profile/discrete_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::profile {
namespace {

using testing::log_uniform;
using testing::Precise;

// The sum over integers within `reach` of what `term` gives.
template <class Term>
Precise sum_over(int reach, Term&& term) {
  Precise sum = 0;
  for (int z = -reach; z <= reach; ++z) sum += term(z);
  return sum;
}

RC_GTEST_PROP(DiscreteGaussianProfile, IsTheHockeyStickOfItsMasses, ()) {
  const double sigma = log_uniform(0.05, 5);
  const int sensitivity = *rc::gen::inRange(1, 8);
  const double epsilon = (*rc::gen::inRange(-100, 500) / 100.0) * sensitivity / sigma / sigma;
  const Precise factor = exp(Precise(epsilon));
  const auto mass = [&](int z) -> Precise { return exp(-Precise(z) * z / (2 * Precise(sigma) * sigma)); };
  const int reach = static_cast<int>(40 * sigma) + 30;
  const Precise normaliser = sum_over(reach, mass);
  const Precise delta = sum_over(reach, [&](int z) {
    const Precise excess = mass(z - sensitivity) - factor * mass(z);
    return excess > 0 ? excess / normaliser : Precise(0);
  });
  RC_PRE(delta > 1e-200);
  RC_ASSERT(abs(discrete_gaussian_normaliser(sigma) / normaliser - 1) < 0x1p-47);
  RC_ASSERT(testing::log_error(discrete_gaussian_log_delta(epsilon, sigma, sensitivity), delta) < 1e-12);
}

TEST(DiscreteGaussianProfile, CountsNothingAtATie) {
  // At epsilon = (2k - 1) / (2 sigma^2) the outcome k has ratio e^epsilon exactly and adds nothing: for sigma = 1/4 and
  // epsilon = 8, k = 1, what remains is the noise of 1 and more.
  const double normaliser = discrete_gaussian_normaliser(0.25);
  const double beyond = std::exp(-8.0) * (1 - std::exp(8.0 - 24.0)) / normaliser;
  EXPECT_NEAR(discrete_gaussian_log_delta(8, 0.25, 1), std::log(beyond), 1e-10);
}

TEST(DiscreteGaussianProfile, IsTheGaussianOnesWhenTheNoiseIsWide) {
  const Precise truth = testing::gaussian_delta(0.01, 300);
  EXPECT_NEAR(discrete_gaussian_log_delta(0.01, 3e4, 100), static_cast<double>(log(truth)), 1e-6);
}

TEST(DiscreteGaussianProfile, NeverExceedsOne) {
  EXPECT_LE(discrete_gaussian_log_delta(1, 1, 1e6), 0);
  EXPECT_LE(discrete_gaussian_log_delta(1, 1e-200, 1), 0);
}

TEST(DiscreteGaussianProfile, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, 1e8}) EXPECT_THROW(discrete_gaussian_log_delta(1, bad, 1), InvalidArgument);
  for (const double bad : {0.0, 1.5, -1.0, nan}) EXPECT_THROW(discrete_gaussian_log_delta(1, 1, bad), InvalidArgument);
  EXPECT_THROW(discrete_gaussian_log_delta(nan, 1, 1), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::profile
