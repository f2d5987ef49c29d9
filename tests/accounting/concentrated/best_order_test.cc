#include "dpbudget/accounting/concentrated/best_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

// The equations of the header, at both ends of what they can meet.
// accounting/concentrated/proofs.md, 2.1
RC_GTEST_PROP(BestOrder, SolvesItsEquations, ()) {
  const double rho = std::pow(log_uniform(1e-150, 1e6), 2);
  const double log_delta = -log_uniform(1e-16, 700);
  const double t = best_excess_order_for_epsilon(rho, log_delta);
  RC_ASSERT(std::abs((rho * t * t + std::log1p(t)) / -log_delta - 1) < 1e-9);

  const double epsilon = log_uniform(1e-12, 1e4);
  const double u = best_excess_order_for_delta(rho, epsilon);
  RC_ASSERT(1e-301 < u && u <= 1.1e308);
  if (1e-299 < u && u < 1e307)
    RC_ASSERT(std::abs(rho * (1 + 2 * u) - std::log1p(1 / u) - epsilon) <
              1e-9 * (rho * (1 + 2 * u) + std::log1p(1 / u) + epsilon));
}

TEST(BestOrder, StaysInRangeWhereTheRootLeavesIt) {
  EXPECT_NEAR(best_excess_order_for_delta(1e12, 0) / 1e-300, 1, 1e-9);
  EXPECT_NEAR(best_excess_order_for_delta(1e-320, 1e4) / 1e308, 1, 1e-9);
}

}  // namespace
}  // namespace dpbudget::concentrated
