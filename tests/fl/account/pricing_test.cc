#include "dpbudget/fl/account/pricing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpbudget/accounting/plan/language.h"
#include "fl/priced.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(Pricing, IsTheBestAccountantsAtEachDelta) {
  Pricing price(1e-5);
  const Plan one = parse_plan("10 x gaussian(4)", Adjacency::replace_one);
  const Plan other = parse_plan("11 x gaussian(4)", Adjacency::replace_one);
  const auto epsilon = [](const Plan& plan, double delta) {
    return make_accountant(AccountantName::best, plan).value()->epsilon(1, delta).value().upper;
  };
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(price(one).upper, epsilon(one, 1e-5));
    EXPECT_EQ(price.at(one, 1e-6).upper, epsilon(one, 1e-6));
    EXPECT_EQ(price(other).upper, epsilon(other, 1e-5));
  }
  EXPECT_LT(price(one).upper, price(other).upper);
}

TEST(WorstEpsilon, IsThatOfTheClientThatSpendsMost) {
  auto run = cheap(6);
  run.silo_noise = {4, 4, 4, 4, 8, 8, 8, 8};
  const std::vector<Sizes> kinds = distinct_sizes(run, std::vector<std::uint64_t>(8, 32));
  Pricing price(run.delta);
  EXPECT_EQ(worst_epsilon(run, kinds, 6, price), cost_of(run, 6, {kinds[0]}));
  EXPECT_EQ(worst_epsilon(run, {kinds[1]}, 6, price), cost_of(run, 6, {kinds[1]}));
  EXPECT_EQ(worst_epsilon(run, kinds, 2, price), cost_of(run, 2, kinds));
  EXPECT_GT(worst_epsilon(run, kinds, 6, price, 0.01), 0.01);
}

TEST(WorstEpsilon, IsInfiniteWhereNothingIsProven) {
  auto run = cheap(6);
  run.clipping = Clipping::median;
  Pricing price(run.delta);
  EXPECT_TRUE(std::isinf(worst_epsilon(run, same, 6, price)));
  EXPECT_REFUSED("clients", worst_epsilon(run, {{.clients = 0, .records = 32}}, 6, price));
}

}  // namespace
}  // namespace dpbudget::fl
