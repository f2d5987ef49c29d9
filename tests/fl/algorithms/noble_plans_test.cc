#include "dpbudget/fl/algorithms/noble_plans.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpbudget/accounting/plan/language.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

// Table 1 of the paper: M = 100 users of 4000 training records, l = 0.05, s = 0.2.
Run table_run(const std::string& algorithm) {
  auto run = small_run(algorithm);
  run.rounds = 400;
  run.user_rate = 0.05;
  if (!find_algorithm(algorithm).one_pass) run.local_steps = 10;
  run.warm_start_rounds.reset();
  run.noise_multiplier = 16;
  return run;
}

std::string text(const Run& run, Adversary adversary, Basis basis, std::uint64_t records = 4000) {
  const auto view = plan(run, {100, records}, adversary, basis);
  if (!view) return "none";
  EXPECT_EQ(view->plan.adjacency, Adjacency::replace_one);
  return to_text(view->plan.event);
}

// The expected tree, written in the plan language.
std::string read(const std::string& plan) { return to_text(parse(plan).event); }

TEST(NoblePlans, AreWhatTheHeaderSaysForEveryAlgorithm) {
  for (const AlgorithmEntry& entry : all_algorithms()) {
    if (!entry.adds_noise) continue;
    SCOPED_TRACE(entry.name);
    const auto run = table_run(std::string(entry.name));
    const std::string T = entry.warm_starts ? "480" : "400";
    const std::string K = entry.one_pass ? "5" : "10";
    const std::string averaged = std::to_string(16 * std::sqrt(0.05 * 100));
    const std::string proven = T + " x participates(5 of 100, " + K + " x wor(800 of 4000, gaussian(16)))";
    EXPECT_EQ(text(run, Adversary::third_party, Basis::proven), read(proven));
    EXPECT_EQ(text(run, Adversary::server, Basis::proven), read(proven));
    EXPECT_EQ(text(run, Adversary::server, Basis::published),
              read(T + " x (" + K + " x wor(800 of 4000, gaussian(16)))"));
    EXPECT_EQ(text(run, Adversary::user_level, Basis::proven),
              read(T + " x participates(5 of 100, " + K + " x gaussian(0.02))"));
    EXPECT_EQ(text(run, Adversary::user_level, Basis::published), "none");
    const auto claim = plan(run, {100, 4000}, Adversary::third_party, Basis::published);
    ASSERT_TRUE(claim);
    const auto& rounds = std::get<Repeated>(claim->plan.event);
    const auto& users = std::get<SampledWithoutReplacement>(*rounds.inner);
    const auto& steps = std::get<Repeated>(*users.inner);
    const auto& records = std::get<SampledWithoutReplacement>(*steps.inner);
    EXPECT_EQ(std::to_string(rounds.count.value()), T);
    EXPECT_EQ(users.rate, Rate(5, 100));
    EXPECT_EQ(std::to_string(steps.count.value()), K);
    EXPECT_EQ(records.rate, Rate(800, 4000));
    EXPECT_NEAR(std::get<Gaussian>(*records.inner).noise_multiplier.value(), 16 * std::sqrt(5.0), 1e-12);
  }
}

TEST(NoblePlans, AtUserUnitReadTheNoiseAgainstItsOwnScale) {
  auto run = table_run("dp-scaffold");
  run.unit = Unit::user;  // noise 2 C 16 / 0.2 on the mean: 80 times 2 C, and 64000 times 2 C / 800
  EXPECT_EQ(text(run, Adversary::user_level, Basis::proven), read("400 x participates(5 of 100, 10 x gaussian(80))"));
  EXPECT_EQ(text(run, Adversary::server, Basis::proven),
            read("400 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(64000)))"));
  const auto claim = plan(run, {100, 4000}, Adversary::user_level, Basis::published);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->guarantee, Guarantee::estimate);
  EXPECT_NE(claim->notes.at(0).find("the unit is the client"), std::string::npos);
  auto at_record = table_run("dp-scaffold");
  EXPECT_EQ(claim->plan, plan(at_record, {100, 4000}, Adversary::third_party, Basis::published)->plan);
}

TEST(NoblePlans, FollowTheClientsOwnSize) {
  const auto run = table_run("dp-fedavg");
  EXPECT_EQ(text(run, Adversary::server, Basis::proven, 17),
            read("400 x participates(5 of 100, 10 x wor(3 of 17, gaussian(16)))"));
}

TEST(NoblePlans, SayWhatIsProvenAndWhichGapsAClaimHas) {
  const auto guarantee = [](const std::string& algorithm, Adversary adversary, Basis basis) {
    return plan(table_run(algorithm), {100, 4000}, adversary, basis)->guarantee;
  };
  for (const Adversary adversary : all_adversaries)
    EXPECT_EQ(guarantee("dp-scaffold", adversary, Basis::proven), Guarantee::proven);
  EXPECT_EQ(guarantee("dp-scaffold", Adversary::third_party, Basis::published), Guarantee::estimate);
  EXPECT_EQ(guarantee("dp-scaffold", Adversary::server, Basis::published), Guarantee::proven);

  const auto gaps = [](const auto& run) {
    return plan(run, {100, 4000}, Adversary::third_party, Basis::published)->notes.size();
  };
  auto single_step = table_run("dp-fedavg");
  single_step.local_steps = 1;
  EXPECT_EQ(gaps(single_step), 1u);
  EXPECT_EQ(gaps(table_run("dp-fedavg")), 2u);
  EXPECT_EQ(gaps(table_run("dp-scaffold")), 3u);
}

}  // namespace
}  // namespace dpbudget::fl
