#include "dpbudget/fl/tuning/account.h"

#include <gtest/gtest.h>

#include "dpbudget/accounting/accountants/accountant.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

Released same_for_all(const std::vector<std::optional<Event>>& events) {
  Released released;
  for (const Adversary adversary : all_adversaries) released[adversary] = events;
  return released;
}

double epsilon_of(const Event& event, double delta) {
  return make_accountant(AccountantName::best, Plan{event, Adjacency::replace_one})
      .value()
      ->epsilon(1, delta)
      .value()
      .upper;
}

constexpr double delta = 1e-6;

// fl/tuning/proofs.md, 1.2: two combinations, three folds.
TEST(TuningAccount, CountsARecordInTheRunsOfTheOtherFolds) {
  std::vector<FoldRun> runs;
  for (const double noise : {5.0, 8.0})
    for (std::uint64_t fold = 0; fold < 3; ++fold) runs.push_back({fold, same_for_all({Gaussian{noise}})});
  const TuningAccount account{.runs = runs, .folds = 3};
  Pricing price(delta);
  const Event record = compose({repeat(2, Gaussian{5}), repeat(2, Gaussian{8})});
  const Event user = compose({repeat(3, Gaussian{5}), repeat(3, Gaussian{8})});
  EXPECT_NEAR(account.spent(Adversary::server, price)->upper, epsilon_of(record, delta), 1e-9);
  EXPECT_NEAR(account.spent(Adversary::user_level, price)->upper, epsilon_of(user, delta), 1e-9);
}

// The record that is held out where least is released, of the kind of client that pays most.
TEST(TuningAccount, IsOfTheWorstFoldAndClient) {
  std::vector<FoldRun> runs;
  runs.push_back({0, same_for_all({Gaussian{9}, Gaussian{6}})});
  runs.push_back({1, same_for_all({Gaussian{9}, Gaussian{3}})});
  runs.push_back({2, same_for_all({Gaussian{9}, Gaussian{7}})});
  const TuningAccount account{.runs = runs, .folds = 3};
  Pricing price(delta);
  EXPECT_NEAR(account.spent(Adversary::server, price)->upper, epsilon_of(compose({Gaussian{3}, Gaussian{6}}), delta),
              1e-9);
}

// fl/tuning/proofs.md, 2.2
TEST(TuningAccount, AddsTheChoiceAndTheLastRun) {
  std::vector<FoldRun> runs;
  for (std::uint64_t fold = 0; fold < 2; ++fold) runs.push_back({fold, same_for_all({Gaussian{5}})});
  const Released last = same_for_all({Gaussian{2}});
  const TuningAccount account{.runs = runs, .folds = 2, .selection = 0.5, .user_selection = {1.5}, .last = &last};
  Pricing price(delta);
  EXPECT_NEAR(account.spent(Adversary::server, price)->upper,
              epsilon_of(compose({Gaussian{5}, BoundedRange{0.5}, Gaussian{2}}), delta), 1e-4);
  EXPECT_NEAR(account.spent(Adversary::user_level, price)->upper,
              epsilon_of(compose({repeat(2, Gaussian{5}), BoundedRange{1.5}, Gaussian{2}}), delta), 1e-4);
  const TuningAccount alone{.runs = {}, .folds = 2, .last = &last};
  EXPECT_NEAR(alone.spent(Adversary::server, price)->upper, epsilon_of(Gaussian{2}, delta), 1e-9);
}

TEST(TuningAccount, HasNoneWhereARunHasNone) {
  std::vector<FoldRun> runs;
  runs.push_back({0, same_for_all({Gaussian{5}})});
  runs.push_back({1, same_for_all({std::nullopt})});
  const TuningAccount account{.runs = runs, .folds = 2};
  Pricing price(delta);
  EXPECT_FALSE(account.spent(Adversary::server, price));
}

TEST(TuningAccount, LooksAtOneClientOfEachKind) {
  Settings settings;
  const std::vector<std::uint64_t> records = {10, 20, 10, 20, 10};
  EXPECT_EQ(one_of_each_kind(settings, records), (std::vector<std::uint64_t>{0, 1}));
  settings.silo_noise = {1, 1, 2, 1, 1};
  EXPECT_EQ(one_of_each_kind(settings, records), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(TuningAccount, PlansWhatARunReleases) {
  const RunRequest request = small_run("dp-fedavg");
  const std::vector<std::uint64_t> clients(10, 20);
  const SettledRun run = settle(request);
  const std::vector<std::uint64_t> kinds = {3};
  const Released released = planned_releases(run, clients, 15, kinds);
  for (const Adversary adversary : all_adversaries) {
    ASSERT_EQ(released.at(adversary).size(), 1U);
    EXPECT_TRUE(released.at(adversary)[0]);
  }
  RunRequest median = request;
  median.clipping = MedianClipping{};
  EXPECT_FALSE(planned_releases(settle(median), clients, 15, kinds).at(Adversary::server)[0]);
}

}  // namespace
}  // namespace dpbudget::fl
