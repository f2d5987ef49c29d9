#include "dpbudget/fl/budget.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dpbudget/accounting/accountant.h"
#include "dpbudget/fl/verify.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

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
  EXPECT_EQ(ledger.header.run.rounds, rounds);
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
