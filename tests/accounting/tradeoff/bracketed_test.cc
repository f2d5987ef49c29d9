#include "dpbudget/accounting/tradeoff/bracketed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/tradeoff/operations.h"
#include "dpbudget/accounting/tradeoff/tensor.h"

namespace dpbudget::tradeoff {
namespace {

using loss_distribution::Direction;

constexpr double tolerance = 1e-4;

BracketedPtr forward(const char* plan) { return trade_off_of(parse_plan(plan), Direction::forward, tolerance); }

void expect_around(const BracketedTradeOff& found, double a, double truth) {
  EXPECT_LE(found.type_two_error(a), truth + 1e-12) << a;
  EXPECT_GE(found.greatest_type_two_error(a), truth - 1e-12) << a;
  EXPECT_LE(found.greatest_type_two_error(a) - found.type_two_error(a), 2 * tolerance) << a;
}

TEST(TradeOffOfPlans, OfGaussiansIsThatOfOne) {
  const BracketedPtr found = forward("100 x gaussian(10)");
  for (const double a : {1e-6, 0.01, 0.3, 0.5, 0.9, 0.999}) expect_around(*found, a, gaussian(1)->type_two_error(a));
}

TEST(TradeOffOfPlans, OfAGuaranteeIsItsOwn) {
  const BracketedPtr found = forward("approximate(0.7, 0.01)");
  for (const double a : {0.0, 0.01, 0.3, 0.5, 0.9}) expect_around(*found, a, approximate(0.7, 0.01)->type_two_error(a));
}

TEST(TradeOffOfPlans, OfFixedSizeSamplesIsTheTensorProduct) {
  const BracketedPtr plan = forward("20 x wor(0.1, gaussian(1))");
  const TradeOffPtr product = tensor({{subsampled(gaussian(1), 0.1), 20}}, tolerance);
  for (const double a : {0.01, 0.2, 0.5, 0.8, 0.99}) {
    EXPECT_LE(product->type_two_error(a), plan->greatest_type_two_error(a)) << a;
    EXPECT_NEAR(product->type_two_error(a), plan->type_two_error(a), tolerance) << a;
  }
}

// accounting/tradeoff/proofs.md, 1.4
TEST(TradeOffOfPlans, OfTheTwoDirectionsAreInverse) {
  const Plan plan = parse_plan("50 x poisson(0.2, gaussian(0.8))");
  const BracketedPtr with = trade_off_of(plan, Direction::forward, tolerance);
  const BracketedPtr without = trade_off_of(plan, Direction::backward, tolerance);
  EXPECT_FALSE(with->is_symmetric());
  for (const double a : {0.01, 0.1, 0.3, 0.6}) {
    // Following one and then the other leads back, as far as slopes and tolerances let it.
    const double slope = (with->type_two_error(a) - with->type_two_error(a + 1e-3)) / 1e-3;
    EXPECT_NEAR(without->type_two_error(with->type_two_error(a)), a, 3 * tolerance * (1 + 1 / slope)) << a;
  }
}

TEST(TradeOffOfPlans, OfNothingIsPerfectPrivacy) {
  for (const auto* plan : {"nothing", "0 x gaussian(1)", "poisson(0, gaussian(1))"})
    expect_around(*forward(plan), 0.3, 0.7);
}

TEST(TradeOffOfPlans, RefusesBadArguments) {
  const Plan plan = parse_plan("gaussian(1)");
  for (const double bad : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(trade_off_of(plan, Direction::forward, bad), InvalidArgument);
  EXPECT_THROW(forward("shuffle(10, zcdp(1))"), Unsupported);
  EXPECT_THROW(forward("gaussian(1)")->type_two_error(1.5), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
