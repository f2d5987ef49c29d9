#include "dpbudget/fl/spending.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dpbudget/accounting/accountant.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// Whole clients see Gaussians alone, which are priced in no time.
fl::Run cheap(std::uint64_t rounds) {
  fl::Run run = kind_of("dp-scaffold");
  run.rounds = rounds;
  run.user_rate = 1;
  run.record_rate = 1;
  run.noise_multiplier = 8;
  return completed(run);
}

const std::vector<Sizes> same = {{8, 32}};

double cost_of(fl::Run run, std::uint64_t rounds, const std::vector<Sizes>& everybody) {
  run.rounds = rounds;
  double worst = 0;
  for (const Sizes& sizes : everybody) {
    const auto proven = plan(run, sizes, run.budget_for, Basis::proven);
    worst = std::max(worst, make_accountant(AccountantName::best, proven->plan)->epsilon(1, run.delta).upper);
  }
  return worst;
}

TEST(Spending, IsTheCostOfTheFirstRounds) {
  const auto run = cheap(10);
  const std::vector<std::uint64_t> rounds = {0, 1, 5, 10};
  const std::vector<double> spent = spending(run, same, rounds);
  ASSERT_EQ(spent.size(), 4U);
  EXPECT_EQ(spent[0], 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(spent[i], cost_of(run, rounds[i], same));
  EXPECT_LT(spent[1], spent[2]);
  EXPECT_LT(spent[2], spent[3]);
}

TEST(Spending, CountsWarmStartRoundsFirst) {
  auto run = cheap(4);
  run.algorithm = "dp-scaffold-warm";
  run.warm_start_rounds = 3;
  auto plain = cheap(4);
  const std::vector<std::uint64_t> rounds = {2, 3, 5, 7};
  const std::vector<double> spent = spending(run, same, rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) EXPECT_EQ(spent[i], cost_of(plain, rounds[i], same)) << rounds[i];
}

TEST(Spending, OfOnePassIsTheSameWheneverItEnds) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  const std::vector<double> spent = spending(completed(run), same, std::vector<std::uint64_t>{0, 1, 4});
  EXPECT_EQ(spent[0], 0);
  EXPECT_GT(spent[1], 0);
  EXPECT_EQ(spent[1], spent[2]);
}

}  // namespace
}  // namespace dpbudget::fl
