#include "dpbudget/accounting/profile/poisson_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::profile {
namespace {

using testing::log_uniform;
using testing::Precise;

// delta of one step from the point x where the likelihood ratio is e^epsilon.
Precise truth(double rate, double noise, double epsilon, Direction direction) {
  const Precise q = rate;
  const Precise s = noise;
  const Precise g = exp(Precise(epsilon));
  const Precise c = (direction == Direction::remove ? g : 1 / g) - 1 + q;
  if (c <= 0) return direction == Direction::remove ? 1 - g : Precise(0);
  const Precise x = s * s * log(c / q) + Precise(0.5);
  if (direction == Direction::remove) return q * testing::upper_tail((x - 1) / s) - c * testing::upper_tail(x / s);
  return g * (c * testing::upper_tail(-x / s) - q * testing::upper_tail((1 - x) / s));
}

RC_GTEST_PROP(PoissonGaussianProfile, AgreesWithItsClosedForm, ()) {
  const double rate = *rc::gen::arbitrary<bool>() ? log_uniform(1e-8, 1) : 1 - log_uniform(1e-12, 1);
  const double noise = log_uniform(0.1, 1e3);
  const Direction direction = *rc::gen::arbitrary<bool>() ? Direction::remove : Direction::add;
  const double sign = *rc::gen::arbitrary<bool>() ? 1 : -1;
  // Where delta is between e^-1000 and 1: up to where the sampled losses of the noise's last deviations lie.
  const double epsilon = sign * std::log1p(rate * std::expm1(log_uniform(1e-4, 30) / noise));
  const Precise delta = truth(rate, noise, epsilon, direction);
  const double found = poisson_gaussian_log_delta(rate, noise, epsilon, direction);
  if (delta == 0)
    RC_ASSERT(std::isinf(found) && found < 0);
  else
    RC_ASSERT(testing::log_error(found, delta) < 1e-12);
}

TEST(PoissonGaussianProfile, EndsWhereNoOutcomeIsThatUnlikely) {
  // log 2 as a double lies below the real one, its successor above.
  const double edge = std::log(2.0);
  EXPECT_EQ(poisson_gaussian_log_delta(0.5, 1, std::nextafter(edge, 1.0), Direction::add),
            -std::numeric_limits<double>::infinity());
  EXPECT_LT(
      testing::log_error(poisson_gaussian_log_delta(0.5, 1, edge, Direction::add), truth(0.5, 1, edge, Direction::add)),
      1e-12);
}

TEST(PoissonGaussianProfile, SpendsNothingAtRateZeroAndAllAtRateOne) {
  for (const Direction direction : {Direction::remove, Direction::add}) {
    EXPECT_EQ(poisson_gaussian_log_delta(0, 1, 0.1, direction), -std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(poisson_gaussian_log_delta(0, 1, -0.1, direction), std::log(-std::expm1(-0.1)));
    EXPECT_EQ(poisson_gaussian_log_delta(1, 2, 0.1, direction), gaussian_log_delta(0.1, 2));
    EXPECT_DOUBLE_EQ(poisson_gaussian_composed_log_delta(1, 2, 0.1, 2, direction),
                     gaussian_log_delta(0.1, 2 / std::sqrt(2.0)));
  }
}

TEST(PoissonGaussianProfile, ComposesToTheGaussianNearRateOne) {
  for (const Direction direction : {Direction::remove, Direction::add})
    for (const double epsilon : {-1.0, 0.3, 4.0})
      EXPECT_NEAR(poisson_gaussian_composed_log_delta(1 - 1e-15, 1.5, epsilon, 2, direction),
                  gaussian_log_delta(epsilon, 1.5 / std::sqrt(2.0)), 1e-11);
}

TEST(PoissonGaussianProfile, ReversesUnderComposition) {
  // Exchanging the pair: delta(e) = 1 - e^e + e^e delta'(-e).
  for (const double epsilon : {-0.4, -0.05, 0.02, 0.1}) {
    const double remove = std::exp(poisson_gaussian_composed_log_delta(0.1, 0.9, epsilon, 2, Direction::remove));
    const double add = std::exp(poisson_gaussian_composed_log_delta(0.1, 0.9, -epsilon, 2, Direction::add));
    EXPECT_NEAR(remove, -std::expm1(epsilon) + std::exp(epsilon) * add, 1e-13) << epsilon;
  }
}

TEST(PoissonGaussianProfile, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.1, nan})
    EXPECT_THROW(poisson_gaussian_log_delta(bad, 1, 1, Direction::add), InvalidArgument);
  EXPECT_THROW(poisson_gaussian_log_delta(0.1, 0, 1, Direction::add), InvalidArgument);
  EXPECT_THROW(poisson_gaussian_log_delta(0.1, 1, nan, Direction::add), InvalidArgument);
  for (const std::uint64_t bad : {0, 4})
    EXPECT_THROW(poisson_gaussian_composed_log_delta(0.1, 1, 1, bad, Direction::add), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::profile
