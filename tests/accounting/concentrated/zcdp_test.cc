#include "dpbudget/accounting/concentrated/zcdp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

// 20 digits by mpmath with 60, bisecting for the best order.
TEST(Zcdp, OptimalEpsilonKeepsItsDigits) {
  struct {
    double rho, delta, epsilon;
  } const cases[] = {
      {1e-300, 1e-300, 3.6957835563665616245e-149},
      {1e-12, 1e-09, 4.4955780701146499683e-6},
      {0.5, 1e-05, 4.7283869849433138815},
      {30.0, 1e-12, 86.163063763326206035},
      {10000.0, 1e-300, 15254.064222323593217},
      {1e12, 1e-300, 1000052565206.1509531},
      {1e12, 0.9999999999999999, 999999999963.26331045},
      {1e12, 1e-05, 1000006786126.830638},
  };
  for (const auto& [rho, delta, epsilon] : cases)
    EXPECT_NEAR(zcdp_to_epsilon_optimal(rho, delta) / epsilon, 1, 1e-13) << rho << " " << delta;
  // Next to the floor of 0, where terms of 0.01 cancel.
  EXPECT_NEAR(zcdp_to_epsilon_optimal(0.0001359202493738739, 0.01), 8.3118443658058062087e-13, 1e-20);
  EXPECT_NEAR(zcdp_to_epsilon_optimal(0.00013592024936028325, 0.01), 8.3002956251965799028e-17, 1e-20);
  for (const auto& [rho, delta] : {std::pair{1e-300, 0.5}, {1e-8, 0.01}, {1e-3, 0.5}, {2.0, 0.9999999999999999}})
    EXPECT_EQ(zcdp_to_epsilon_optimal(rho, delta), 0);
}

// As above.
TEST(Zcdp, OptimalLogDeltaKeepsItsDigits) {
  struct {
    double rho, epsilon, log_delta;
  } const cases[] = {
      {0.5, 5.0, -12.752137677784413587},         {1e-300, 1e-12, -2.4999999999999998368e+275},
      {1e-300, 1e4, -2.4999999999999999374e+307}, {1e-8, 0.0, -9.363766783362876737},
      {3.0, 0.0, -0.044750048548170235438},       {100.0, 1.0, -1.0112214926104485299e-43},
      {1e12, 1e13, -20250000000002.607766},       {0.02, 1e-09, -2.1127690252302865543},
  };
  for (const auto& [rho, epsilon, log_delta] : cases)
    EXPECT_NEAR(zcdp_to_log_delta_optimal(rho, epsilon) / log_delta, 1, 1e-13) << rho << " " << epsilon;
  // Here it is e^-1e12.
  EXPECT_NEAR(zcdp_to_log_delta_optimal(1e12, 1e4), 0, 1e-290);
}

TEST(Zcdp, ClosedFormsKeepTheirDigits) {
  // rho + 2 sqrt(rho log(1/delta)), by mpmath.
  EXPECT_NEAR(zcdp_to_epsilon(1e-300, 1e-300) / 5.2565217697569320e-149, 1, 1e-14);
  EXPECT_NEAR(zcdp_to_epsilon(0.1, 1e-200) / 13.67228084883022398, 1, 1e-14);
  EXPECT_EQ(zcdp_to_log_delta(0.5, 0.5), 0);
  EXPECT_EQ(zcdp_to_log_delta(0.5, 0.4), 0);
  EXPECT_NEAR(zcdp_to_log_delta(0.5, 5), -10.125, 1e-14);
  EXPECT_NEAR(zcdp_to_log_delta(1e-300, 1e-148) / -2.5e3, 1, 1e-14);
}

TEST(Zcdp, NothingReleasedIsNothingSpent) {
  EXPECT_EQ(zcdp_to_epsilon(0, 1e-5), 0);
  EXPECT_EQ(zcdp_to_epsilon_optimal(0, 1e-5), 0);
  EXPECT_EQ(zcdp_to_log_delta(0, 0), -infinity);
  EXPECT_EQ(zcdp_to_log_delta_optimal(0, 0), -infinity);
  EXPECT_EQ(pure_rho(0), 0);
}

RC_GTEST_PROP(Zcdp, OptimalIsTheLeastOverOrdersAndItsInverseAgrees, ()) {
  const double rho = log_uniform(1e-10, 1e3);
  const double delta = log_uniform(1e-300, 0.99);
  const double least = zcdp_to_epsilon_optimal(rho, delta);
  RC_ASSERT(least <= zcdp_to_epsilon(rho, delta) * (1 + 1e-14));
  for (int i = 0; i < 20; ++i) {
    const double order = 1 + log_uniform(1e-6, 1e6);
    RC_ASSERT(least <= renyi::to_epsilon_canonne(order, rho * order, delta) * (1 + 1e-9) + 1e-12);
  }
  if (least > 0)
    RC_ASSERT(std::abs(zcdp_to_log_delta_optimal(rho, least) / std::log(delta) - 1) < 1e-9 * (1 + rho + 1 / least));
  else
    RC_ASSERT(zcdp_to_log_delta_optimal(rho, 0) <= std::log(delta) * (1 - 1e-12));
}

// D_a <= a rho with rho = D_1, for the mechanism that attains the most of pure DP.
// accounting/concentrated/proofs.md, 1.1
RC_GTEST_PROP(Zcdp, PureRhoIsTheLeastThatHolds, ()) {
  const double epsilon = log_uniform(1e-8, 100);
  const double rho = pure_rho(epsilon);
  RC_ASSERT(rho <= std::min(epsilon, epsilon * epsilon / 2) * (1 + 1e-15));
  RC_ASSERT(std::abs(renyi::pure(1, epsilon) / rho - 1) < 1e-12);
  const double order = 1 + log_uniform(1e-6, 1e6);
  RC_ASSERT(renyi::pure(order, epsilon) <= order * rho * (1 + 1e-12));
}

TEST(Zcdp, RhoOfMechanismsAndGroups) {
  EXPECT_EQ(gaussian_rho(2), 0.125);
  EXPECT_NEAR(gaussian_rho(1e150) / 5e-301, 1, 1e-15);
  EXPECT_NEAR(pure_rho(1), 0.46211715726000975850, 1e-15);  // tanh(1/2)
  EXPECT_NEAR(pure_rho(1e-9) / 5e-19, 1, 1e-15);
  EXPECT_EQ(pure_rho(1e300), 1e300);
  EXPECT_DOUBLE_EQ(group_rho(0.1, 3), 0.9);
}

TEST(Zcdp, RefusesBadInputByName) {
  for (const double rho : {-1.0, nan, infinity}) {
    EXPECT_THROW(zcdp_to_epsilon(rho, 0.1), InvalidArgument);
    EXPECT_THROW(zcdp_to_epsilon_optimal(rho, 0.1), InvalidArgument);
    EXPECT_THROW(zcdp_to_log_delta(rho, 1), InvalidArgument);
    EXPECT_THROW(zcdp_to_log_delta_optimal(rho, 1), InvalidArgument);
    EXPECT_THROW(group_rho(rho, 1), InvalidArgument);
    EXPECT_THROW(pure_rho(rho), InvalidArgument);
    EXPECT_THROW(gaussian_rho(rho), InvalidArgument);
  }
  for (const double delta : {0.0, 1.0, -0.1, nan}) {
    EXPECT_THROW(zcdp_to_epsilon(1, delta), InvalidArgument);
    EXPECT_THROW(zcdp_to_epsilon_optimal(1, delta), InvalidArgument);
  }
  for (const double epsilon : {-0.1, nan, infinity}) {
    EXPECT_THROW(zcdp_to_log_delta(1, epsilon), InvalidArgument);
    EXPECT_THROW(zcdp_to_log_delta_optimal(1, epsilon), InvalidArgument);
  }
  EXPECT_THROW(gaussian_rho(0), InvalidArgument);
  EXPECT_THROW(group_rho(0.1, 0), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
