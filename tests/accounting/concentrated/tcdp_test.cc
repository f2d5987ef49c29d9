#include "dpbudget/accounting/concentrated/tcdp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/concentrated/zcdp.h"
#include "dpbudget/accounting/renyi/conversion.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

// 20 digits by mpmath with 60, the best order capped at omega.
TEST(Tcdp, OptimalConversionsKeepTheirDigits) {
  struct {
    double rho, omega, delta, epsilon;
  } const epsilons[] = {
      {1e-3, 10.0, 1e-6, 1.1838534248944213062}, {0.1, 1.0000001, 1e-3, 69077535.731393564232},
      {0.5, 1e6, 1e-5, 4.7283869849433138815},   {1e-6, 200.0, 1e-9, 0.072699762047804333106},
      {5.0, 1.5, 1e-300, 1387.1415132915429719}, {0.1, 1.0000000000000002, 0.5, 3121657384082642.6608},
  };
  for (const auto& [rho, omega, delta, epsilon] : epsilons)
    EXPECT_NEAR(tcdp_to_epsilon_optimal(rho, omega, delta) / epsilon, 1, 1e-13) << rho << " " << omega;
  EXPECT_EQ(tcdp_to_epsilon_optimal(0.1, 3, 0.5), 0);
  struct {
    double rho, omega, epsilon, log_delta;
  } const deltas[] = {
      {0.1, 3.0, 0.3, -1.9095425048844383998},
      {0.1, 3.0, 10.0, -21.309542504884438422},
      {1e-3, 1.0000001, 0.5, -1.7617095710560494904e-6},
      {1e-3, 50.0, 0.09, -6.8619556639865988164},
  };
  for (const auto& [rho, omega, epsilon, log_delta] : deltas)
    EXPECT_NEAR(tcdp_to_log_delta_optimal(rho, omega, epsilon) / log_delta, 1, 1e-13) << rho << " " << omega;
}

// Each is the least of Mironov's conversion over the orders up to omega.
// accounting/concentrated/proofs.md, 2.1
RC_GTEST_PROP(Tcdp, ClosedFormsAreTheLeastOverOrders, ()) {
  const double rho = log_uniform(1e-6, 10);
  const double omega = 1 + log_uniform(1e-3, 1e4);
  const double delta = log_uniform(1e-100, 0.99);
  const double epsilon = tcdp_to_epsilon(rho, omega, delta);
  const double log_delta = tcdp_to_log_delta(rho, omega, epsilon);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); };
  if (epsilon > rho * (1 + 1e-6)) RC_ASSERT(near(log_delta, std::log(delta)));
  double least = infinity;
  double least_log_delta = 0;
  for (int i = 0; i <= 2000; ++i) {
    const double order = 1 + (omega - 1) * std::exp(-i / 100.0);
    least = std::min(least, renyi::to_epsilon_mironov(order, rho * order, delta));
    least_log_delta = std::min(least_log_delta, renyi::to_log_delta_mironov(order, rho * order, epsilon));
  }
  RC_ASSERT(epsilon <= least * (1 + 1e-12));
  RC_ASSERT(least <= epsilon * (1 + 1e-3));
  RC_ASSERT(log_delta <= least_log_delta + 1e-12 * std::abs(log_delta) + 1e-12);
  RC_ASSERT(tcdp_to_epsilon_optimal(rho, omega, delta) <= epsilon * (1 + 1e-13));
  RC_ASSERT(tcdp_to_log_delta_optimal(rho, omega, epsilon) <= log_delta * (1 - 1e-13));
}

RC_GTEST_PROP(Tcdp, GrowsWithRhoAndShrinksWithOmegaDownToZcdp, ()) {
  const double rho = log_uniform(1e-8, 10);
  const double omega = 1 + log_uniform(1e-3, 1e4);
  const double delta = log_uniform(1e-100, 0.99);
  for (const auto convert : {tcdp_to_epsilon, tcdp_to_epsilon_optimal}) {
    const double value = convert(rho, omega, delta);
    RC_ASSERT(value <= convert(rho * 1.1, omega, delta) * (1 + 1e-13));
    RC_ASSERT(value >= convert(rho, omega * 1.1, delta) * (1 - 1e-13));
    RC_ASSERT(value >= convert(rho, infinity, delta) * (1 - 1e-13));
  }
  RC_ASSERT(tcdp_to_epsilon_optimal(rho, 1e300, delta) == zcdp_to_epsilon_optimal(rho, delta));
}

TEST(Tcdp, BranchesMeetAndStayInRange) {
  // log(1/delta) = (omega-1)^2 rho and epsilon = (2 omega - 1) rho, at omega 3 and rho 1/2.
  EXPECT_NEAR(tcdp_to_epsilon(0.5, 3, std::exp(-2.0)), 2.5, 1e-14);
  EXPECT_DOUBLE_EQ(tcdp_to_log_delta(0.5, 3, 2.5), -2);
  EXPECT_DOUBLE_EQ(tcdp_to_log_delta(0.5, 3, std::nextafter(2.5, 3.0)), -2);
  // (omega-1)^2 is not a double where (omega-1)^2 rho is 1e20, and 2 omega - 1 is not where rho (2 omega - 1) is 2.
  EXPECT_NEAR(tcdp_to_epsilon(1e-300, 1e160, 1e-5) / 6.7861404244151115e-150, 1, 1e-13);
  EXPECT_NEAR(tcdp_to_log_delta(1e-308, 1e308, 1e-154), -0.25, 1e-14);
  // Near omega = 1 a difference of nearly equal products decides: (omega-1) (epsilon - rho omega), by mpmath.
  EXPECT_NEAR(tcdp_to_log_delta(1, 1.0000000000000002, 1.000000000000001) / -1.9721522630525295e-31, 1, 1e-14);
}

TEST(Tcdp, ComposesAndGroups) {
  EXPECT_EQ(composed({0.25, 5}, {0.5, 3}), (TruncatedCdp{0.75, 3}));
  EXPECT_EQ(composed({0, infinity}, {0.5, 3}), (TruncatedCdp{0.5, 3}));
  EXPECT_EQ(repeated(4, TruncatedCdp{0.25, 5}), (TruncatedCdp{1, 5}));
  EXPECT_EQ(repeated(0, TruncatedCdp{0.25, 5}), (TruncatedCdp{0, infinity}));
  EXPECT_EQ(group({0.25, 9}, 4), (TruncatedCdp{4, 2.25}));
  EXPECT_EQ(group({0.25, infinity}, 4), (TruncatedCdp{4, infinity}));
  for (const std::uint64_t size : {9U, 10U}) {
    try {
      group({0.25, 9}, size);
      ADD_FAILURE() << size;
    } catch (const Unsupported& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("omega / group_size above 1"), std::string::npos) << refusal.what();
    }
  }
}

// accounting/concentrated/proofs.md, 5.1
TEST(Tcdp, SumsAreRoundedUp) {
  EXPECT_GT(composed({1, infinity}, {1e-20, infinity}).rho, 1);
  EXPECT_GT(repeated(3, TruncatedCdp{0.1, infinity}).rho, 0.3);
}

TEST(Tcdp, RefusesBadInputByName) {
  for (const auto convert : {tcdp_to_epsilon, tcdp_to_epsilon_optimal, tcdp_to_log_delta, tcdp_to_log_delta_optimal}) {
    for (const double rho : {-1.0, nan, infinity}) EXPECT_THROW(convert(rho, 3, 0.1), InvalidArgument);
    for (const double omega : {1.0, 0.0, nan, -infinity}) EXPECT_THROW(convert(0.1, omega, 0.1), InvalidArgument);
    for (const double last : {-0.1, nan, infinity}) EXPECT_THROW(convert(0.1, 3, last), InvalidArgument);
  }
  for (const auto convert : {tcdp_to_epsilon, tcdp_to_epsilon_optimal})
    for (const double delta : {0.0, 1.0}) EXPECT_THROW(convert(0.1, 3, delta), InvalidArgument);
  EXPECT_THROW(group({0.1, 1}, 1), InvalidArgument);
  EXPECT_THROW(group({0.1, 3}, 0), InvalidArgument);
  EXPECT_THROW(repeated((std::uint64_t{1} << 53) + 1, TruncatedCdp{0.1, 3}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
