#include "dpbudget/fl/account/spending.h"

#include <gtest/gtest.h>

#include "fl/priced.h"

namespace dpbudget::fl {
namespace {

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
  const std::vector<std::uint64_t> rounds = {1, 2, 3, 5, 7};
  const std::vector<double> spent = spending(run, same, rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) EXPECT_EQ(spent[i], cost_of(plain, rounds[i], same)) << rounds[i];
}

TEST(Spending, OfOnePassIsTheSameWheneverItEnds) {
  auto run = kind_of(std::string("dp-mb-sgd"));
  run.batches = Batches::disjoint;
  const std::vector<double> spent = spending(completed(run), same, std::vector<std::uint64_t>{0, 1, 4});
  EXPECT_EQ(spent[0], 0);
  EXPECT_GT(spent[1], 0);
  EXPECT_EQ(spent[1], spent[2]);
}

// A whole client is in every batch, whose size the run's planned rounds decide.
TEST(Spending, OfAWholeClientInOnePassGrows) {
  auto run = kind_of(std::string("dp-mb-sgd"));
  run.batches = Batches::disjoint;
  run.user_rate = 1;
  run.noise_multiplier = 64;
  run.budget_for = Adversary::user_level;
  const std::vector<double> spent = spending(completed(run), same, std::vector<std::uint64_t>{1, 3, 4});
  for (const auto& [index, count] : {std::pair(0U, 1), std::pair(1U, 3), std::pair(2U, 4)}) {
    // Batches of 8: count releases of noise 64 / 8.
    const Plan plan{Repeated{static_cast<std::uint64_t>(count), Event(Gaussian{8})}, Adjacency::replace_one};
    EXPECT_NEAR(spent[index], make_accountant(AccountantName::exact, plan).value()->epsilon(1, run.delta).value().upper,
                1e-9 * spent[index]);
  }
}

// The noise of the first rounds alone counts.
TEST(Spending, OfAScheduleIsThatOfItsFirstRounds) {
  auto run = kind_of(std::string("dp-mb-sgd"));
  run.batches = Batches::disjoint;
  run.schedule = "exponential:0.5";
  const std::vector<double> spent = spending(completed(run), same, std::vector<std::uint64_t>{1, 2, 4});
  EXPECT_LT(spent[0], spent[1]);
  EXPECT_LT(spent[1], spent[2]);
  EXPECT_EQ(spent[2], cost_of(completed(run), 4, same));
}

}  // namespace
}  // namespace dpbudget::fl
