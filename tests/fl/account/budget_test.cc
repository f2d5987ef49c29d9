#include "dpbudget/fl/account/budget.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dpbudget/fl/verify/verify.h"
#include "fl/priced.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(AffordableRounds, AreTheLastThatFit) {
  const auto run = cheap(24);
  const std::uint64_t rounds = affordable_rounds(run, same, 2);
  ASSERT_LT(rounds, 24U);
  ASSERT_GE(rounds, 1U);
  EXPECT_LE(cost_of(run, rounds, same), 2);
  EXPECT_GT(cost_of(run, rounds + 1, same), 2);
  EXPECT_EQ(affordable_rounds(run, same, cost_of(run, 24, same)), 24U);
  EXPECT_EQ(affordable_rounds(run, same, cost_of(run, 1, same) * 0.99), 0U);
}

TEST(AffordableRounds, AreThoseOfTheClientThatSpendsMost) {
  auto run = cheap(24);
  run.silo_noise = {4, 4, 4, 4, 8, 8, 8, 8};
  const std::vector<Sizes> kinds = distinct_sizes(run, std::vector<std::uint64_t>(8, 32));
  ASSERT_EQ(kinds.size(), 2U);
  const std::uint64_t rounds = affordable_rounds(run, kinds, 3);
  EXPECT_LE(cost_of(run, rounds, kinds), 3);
  EXPECT_GT(cost_of(run, rounds + 1, {kinds[0]}), 3);
  EXPECT_LT(cost_of(run, rounds + 1, {kinds[1]}), 3);
}

// Every round of a pass over the records costs a record the same: there is one plan to price, not one for each of a
// thousand million rounds.
TEST(AffordableRounds, OfOnePassAreAllOrNone) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  run.rounds = 1'000'000'000;
  run = completed(run);
  const std::vector<Sizes> many = {{.clients = 8, .records = 1'000'000'000}, {.clients = 8, .records = 3'000'000'000}};
  const double cost = cost_of(run, 1, many);
  EXPECT_EQ(affordable_rounds(run, many, cost), run.rounds);
  EXPECT_EQ(affordable_rounds(run, many, cost * 0.99), 0U);
}

// Tried one by one: the most rounds that fit, where fewer rounds mean larger batches, and where noise falls.
TEST(AffordableRounds, OfOnePassAreTheMostThatFit) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  run.user_rate = 1;
  run.noise_multiplier = 64;
  run.rounds = 20;
  const std::vector<Sizes> unequal = {{.clients = 8, .records = 20, .all_records = 216},
                                      {.clients = 8, .records = 34, .all_records = 216}};
  const auto expect_the_most = [&](const fl::RunRequest& of) {
    std::vector<double> costs;
    for (std::uint64_t rounds = 1; rounds <= 20; ++rounds) costs.push_back(cost_of(of, rounds, unequal));
    for (const double epsilon : costs)
      for (const double factor : {0.999, 1.0}) {
        std::uint64_t most = 0;
        for (std::uint64_t rounds = 1; rounds <= 20; ++rounds)
          if (costs[rounds - 1] <= epsilon * factor) most = rounds;
        EXPECT_EQ(affordable_rounds(of, unequal, epsilon * factor), most) << epsilon * factor;
      }
  };
  run.budget_for = Adversary::user_level;
  expect_the_most(completed(run));
  run.budget_for = Adversary::server;
  run.schedule = "exponential:0.9";
  expect_the_most(completed(run));
}

TEST(WithinBudget, ShortensTheRunOrRefusesIt) {
  auto run = cheap(24);
  EXPECT_EQ(within_budget(run, same).rounds, 24U);
  run.epsilon = 2;
  EXPECT_LT(within_budget(run, same).rounds, 24U);
  run.epsilon = 0.01;
  EXPECT_REFUSED("epsilon", within_budget(run, same));
  // No round costs more than another when every record is used once.
  auto once = kind_of("dp-mb-sgd");
  once.batches = Batches::disjoint;
  once.epsilon = 3;
  once.noise_multiplier = 8;
  EXPECT_EQ(within_budget(completed(once), same).rounds, 4U);
}

TEST(WithinBudget, StopsTheRunBeforeTheRoundThatWouldExceedIt) {
  auto run = cheap(24);
  run.epsilon = 2;
  const std::uint64_t rounds = affordable_rounds(run, same, 2);
  const Finished done = finished(run, eight_clients());
  EXPECT_EQ(done.result.rounds, rounds);
  const Ledger ledger = ledger_from(done.ledger);
  EXPECT_EQ(ledger.rounds.size(), rounds);
  ASSERT_TRUE(ledger.end);
  EXPECT_EQ(ledger.header.run->rounds, rounds);
  const Report report = verify(ledger, run.delta);
  EXPECT_TRUE(report.passed);
  const auto view = std::ranges::find(report.views, run.budget_for, &View::adversary);
  ASSERT_NE(view, report.views.end());
  EXPECT_LE(view->executed->epsilon.upper, 2);
  run.epsilon = 0.01;
  EXPECT_REFUSED("epsilon", simulate(run, eight_clients()));
}

}  // namespace
}  // namespace dpbudget::fl
