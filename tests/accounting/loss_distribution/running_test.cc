#include "dpbudget/accounting/loss_distribution/running.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

// Both brackets hold the same truth, so they overlap; the running one is as narrow as its mesh allows.
void expect_same_truth(const Bound& running, const Bound& at_once, double width) {
  EXPECT_LE(running.lower, at_once.upper);
  EXPECT_GE(running.upper, at_once.lower);
  EXPECT_LE(running.upper - running.lower, width * running.upper);
}

TEST(RunningAccount, AgreesWithTheWholePlanAfterEveryRound) {
  RunningAccount account(Adjacency::add_or_remove_one, 1e-5, 1e-3);
  std::string plan;
  for (int round = 0; round < 60; ++round) {
    const double noise = 2 * std::pow(0.99, round);
    account.add(PoissonSampled{Rate(0.05), Event(Gaussian{noise})});
    plan += (round == 0 ? "" : " + ") + to_text(Event(PoissonSampled{Rate(0.05), Event(Gaussian{noise})}));
    if (round % 12 == 0)
      expect_same_truth(account.epsilon(), Accountant(parse_plan(plan), 1e-3).epsilon(1, 1e-5), 3e-3);
  }
}

TEST(RunningAccount, OutgrowsItsWindowsWithoutNotice) {
  RunningAccount account(Adjacency::add_or_remove_one, 1e-6, 2e-3);
  const Plan round = parse_plan("poisson(0.02, gaussian(1.5))");
  Accountant whole(round, 1e-3);
  std::uint64_t count = 0;
  for (const std::uint64_t more : {1U, 1U, 10U, 100U, 1000U, 5000U}) {
    account.add(round.event, more);
    count += more;
    expect_same_truth(account.epsilon(), whole.epsilon(count, 1e-6), 1e-2);
  }
}

TEST(RunningAccount, GoesOnFromACopyAsTheFirstDoes) {
  RunningAccount account(Adjacency::add_or_remove_one, 1e-6, 2e-3);
  const Event round = PoissonSampled{Rate(0.02), Event(Gaussian{1.0})};
  account.add(round, 100);
  const Bound before = account.epsilon();
  RunningAccount copy = account;
  copy.add(round, 50);
  account.add(round, 50);
  EXPECT_EQ(copy.epsilon().upper, account.epsilon().upper);
  EXPECT_EQ(copy.epsilon().lower, account.epsilon().lower);
  RunningAccount afresh(Adjacency::add_or_remove_one, 1e-6, 2e-3);
  afresh.add(round, 100);
  EXPECT_EQ(afresh.epsilon().upper, before.upper);
}

TEST(RunningAccount, TakesUpTheOtherDirectionOnceItDiffers) {
  RunningAccount account(Adjacency::add_or_remove_one, 1e-6, 1e-2);
  account.add(parse_plan("2 x gaussian(3)").event);
  expect_same_truth(account.epsilon(), Accountant(parse_plan("2 x gaussian(3)"), 1e-3).epsilon(1, 1e-6), 1e-2);
  account.add(parse_plan("random_allocation(4, gaussian(3))").event);
  expect_same_truth(
      account.epsilon(),
      Accountant(parse_plan("2 x gaussian(3) + random_allocation(4, gaussian(3))"), 1e-3).epsilon(1, 1e-6), 5e-2);
}

TEST(RunningAccount, GivesTheSameUpperEndAlone) {
  const Event round = parse_plan("3 x poisson(0.1, gaussian(1))").event;
  RunningAccount both(Adjacency::add_or_remove_one, 1e-5, 1e-3);
  RunningAccount upper(Adjacency::add_or_remove_one, 1e-5, 1e-3, RunningAccount::Ends::upper);
  both.add(round);
  upper.add(round);
  EXPECT_EQ(upper.epsilon().upper, both.epsilon().upper);
  EXPECT_EQ(upper.epsilon().lower, 0);
}

TEST(RunningAccount, NamesWhatItRestsOn) {
  RunningAccount account(Adjacency::replace_one, 1e-6, 1e-2);
  EXPECT_EQ(joined(account.epsilon().theorems),
            "privacy-loss distribution, all errors bounded: accounting/loss_distribution/proofs.md");
  EXPECT_TRUE(account.epsilon().notes.empty());
  std::string plan;
  for (const std::string release : {"3 x gaussian(2)", "wor(0.1, laplace(2))", "wor(0.1, laplace(2))",
                                    "2 x shuffle(100, rr(1)) + participates(0.1, rr(0.5))"}) {
    account.add(parse_plan(release).event);
    plan += (plan.empty() ? "" : " + ") + release;
    const Bound found = account.epsilon();
    const Bound at_once = Accountant(parse_plan(plan + " under replace_one"), 0.5).epsilon(1, 1e-6);
    EXPECT_EQ(found.theorems, at_once.theorems) << plan;
    EXPECT_EQ(found.notes, at_once.notes) << plan;
  }
  const std::string theorem = joined(account.epsilon().theorems);
  for (const std::string part : {"Gaussian: Balle, Wang 2018, Theorem 8", "Laplace: by definition",
                                 "sampling without replacement: Dong, Roth, Su 2019, Theorem 4.2",
                                 "shuffled randomised response", "participation seen by the adversary"})
    EXPECT_NE(theorem.find(part), std::string::npos) << part;
  EXPECT_EQ(account.epsilon().notes.size(), 2U);
}

TEST(RunningAccount, CallsALowerEndAttainedOnlyWhereItSaysSomething) {
  const auto notes_of = [](const char* plan) {
    RunningAccount account(Adjacency::replace_one, 1e-5, 1e-3);
    account.add(parse_plan(plan).event);
    return joined(account.epsilon().notes);
  };
  EXPECT_NE(notes_of("wor(0.1, gaussian(1))").find("the lower end is attained"), std::string::npos);
  EXPECT_EQ(notes_of("wor(0.1, poisson(0.3, gaussian(1))) under replace_one").find("the lower end"), std::string::npos);
}

TEST(RunningAccount, StartsFromNothingAndRefusesNonsense) {
  RunningAccount account(Adjacency::replace_one, 1e-6, 1e-3);
  EXPECT_EQ(account.epsilon().upper, 0);
  account.add(Gaussian{1.0}, 0);
  EXPECT_EQ(account.epsilon().upper, 0);
  EXPECT_THROW(account.add(PoissonSampled{Rate(0.1), Event(Laplace{1.0})}), Unsupported);
  EXPECT_THROW(account.add(Gaussian{-1.0}), InvalidArgument);
  EXPECT_THROW(RunningAccount(Adjacency::replace_one, 0, 1e-3), InvalidArgument);
  EXPECT_THROW(RunningAccount(Adjacency::replace_one, 1e-6, 0), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
