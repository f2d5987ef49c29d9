#include "dpbudget/accounting/renyi/conversion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::renyi {
namespace {

// delta of the Gaussian mechanism at sensitivity / noise = mu, exactly (Balle, Wang 2018).
double gaussian_delta(double mu, double epsilon) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// accounting/renyi/proofs.md, 6.2
RC_GTEST_PROP(Conversion, IsNeverBelowTheGaussiansExactDelta, ()) {
  const double mu = dpbudget::testing::log_uniform(0.01, 5);
  const double order = 1 + dpbudget::testing::log_uniform(0.01, 1000);
  const double epsilon = dpbudget::testing::log_uniform(1e-3, 10);
  const double rdp = order * mu * mu / 2;
  const double exact = gaussian_delta(mu, epsilon);
  RC_ASSERT(std::exp(to_log_delta_canonne(order, rdp, epsilon)) >= exact * (1 - 1e-9));
  RC_ASSERT(std::exp(to_log_total_variation(mu * mu / 2)) >= gaussian_delta(mu, 0) * (1 - 1e-9));
}

RC_GTEST_PROP(Conversion, CanonneIsNeverAboveMironovAndTheInversesAgree, ()) {
  const double rdp = dpbudget::testing::log_uniform(1e-9, 1e3);
  const double order = 1 + dpbudget::testing::log_uniform(1e-6, 1e5);
  const double delta = dpbudget::testing::log_uniform(1e-300, 0.99);
  const double mironov = to_epsilon_mironov(order, rdp, delta);
  const double canonne = to_epsilon_canonne(order, rdp, delta);
  RC_ASSERT(canonne <= mironov * (1 + 1e-12));
  RC_ASSERT(std::abs(to_log_delta_mironov(order, rdp, mironov) - std::log(delta)) <
            1e-9 * (order + std::abs(std::log(delta)) + (order - 1) * rdp));
  if (canonne > 0)
    RC_ASSERT(std::abs(to_log_delta_canonne(order, rdp, canonne) - std::log(delta)) <
              1e-9 * (order + std::abs(std::log(delta)) + (order - 1) * rdp));
}

TEST(Conversion, HasItsFloorAndItsCap) {
  EXPECT_EQ(to_epsilon_canonne(1.5, 1e-6, 0.5), 0);
  EXPECT_EQ(to_log_delta_canonne(64, 2, 1), 0);
  EXPECT_EQ(to_log_delta_mironov(64, 2, 1), 0);
  EXPECT_EQ(to_log_total_variation(0), -std::numeric_limits<double>::infinity());
}

TEST(Conversion, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double order : {1.0, 0.0, nan, infinity}) {
    EXPECT_THROW(to_epsilon_canonne(order, 1, 0.1), InvalidArgument);
    EXPECT_THROW(to_epsilon_mironov(order, 1, 0.1), InvalidArgument);
    EXPECT_THROW(to_log_delta_canonne(order, 1, 0.1), InvalidArgument);
    EXPECT_THROW(to_log_delta_mironov(order, 1, 0.1), InvalidArgument);
  }
  for (const double delta : {0.0, 1.0, -0.1, nan}) {
    EXPECT_THROW(to_epsilon_canonne(2, 1, delta), InvalidArgument);
    EXPECT_THROW(to_epsilon_mironov(2, 1, delta), InvalidArgument);
  }
  for (const double bad : {-1.0, nan, infinity}) {
    EXPECT_THROW(to_epsilon_canonne(2, bad, 0.1), InvalidArgument);
    EXPECT_THROW(to_log_delta_canonne(2, 1, bad), InvalidArgument);
    EXPECT_THROW(to_log_delta_mironov(2, 1, bad), InvalidArgument);
  }
}

}  // namespace
}  // namespace dpbudget::renyi
