#include "dpbudget/fl/proven_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "dpbudget/accounting/plan/language.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

constexpr std::array<const char*, 4> algorithms = {"dp-fedavg", "dp-fedsgd", "dp-scaffold", "dp-scaffold-warm"};

// Noble et al. 2022, Table 1: M = 100 users of 4000 training records, l = 0.05, s = 0.2.
Run table_run(const std::string& algorithm) {
  auto run = small_run(algorithm);
  run.rounds = 400;
  run.user_rate = 0.05;
  if (find_algorithm(algorithm).steps == Steps::given) run.local_steps = 10;
  run.warm_start_rounds.reset();
  run.noise_multiplier = 16;
  return run;
}

std::string text(const Run& run, Adversary adversary, std::uint64_t records = 4000) {
  const auto view = plan(run, {.clients = 100, .records = records}, adversary, Basis::proven);
  if (!view) return "none";
  EXPECT_EQ(view->plan.adjacency, Adjacency::replace_one);
  EXPECT_EQ(view->guarantee, Guarantee::proven);
  return to_text(view->plan.event);
}

// The expected tree, written in the plan language.
std::string read(const std::string& plan) { return to_text(parse(plan).event); }

// With several local steps a step's noise is the client's own, whoever looks.
TEST(ProvenPlan, IsEveryReleaseOfTheRoundsOfParticipation) {
  for (const std::string algorithm : algorithms) {
    SCOPED_TRACE(algorithm);
    const auto run = table_run(algorithm);
    const AlgorithmEntry& entry = find_algorithm(algorithm);
    const std::string T = entry.warm_starts ? "480" : "400";
    const std::string K = entry.steps == Steps::one_pass ? "5" : "10";
    const std::string proven = T + " x participates(5 of 100, " + K + " x wor(800 of 4000, gaussian(16)))";
    for (const Adversary adversary :
         {Adversary::third_party, Adversary::server, Adversary::one_client, Adversary::other_clients})
      EXPECT_EQ(text(run, adversary), read(proven)) << to_string(adversary);
    EXPECT_EQ(text(run, Adversary::user_level), read(T + " x participates(5 of 100, " + K + " x gaussian(0.02))"));
  }
}

TEST(ProvenPlan, AtUserUnitReadsTheNoiseAgainstItsOwnScale) {
  auto run = table_run("dp-scaffold");
  run.unit = Unit::user;  // noise 2 C 16 / 0.2 on the mean: 80 times 2 C, and 64000 times 2 C / 800
  EXPECT_EQ(text(run, Adversary::user_level), read("400 x participates(5 of 100, 10 x gaussian(80))"));
  EXPECT_EQ(text(run, Adversary::server), read("400 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(64000)))"));
}

TEST(ProvenPlan, FollowsTheClientsOwnSize) {
  const auto run = table_run("dp-fedavg");
  EXPECT_EQ(text(run, Adversary::server, 17), read("400 x participates(5 of 100, 10 x wor(3 of 17, gaussian(16)))"));
}

TEST(ProvenPlan, SaysWhatItsUnitIs) {
  const auto notes = [](Adversary adversary) {
    return plan(table_run("dp-scaffold"), {.clients = 100, .records = 4000}, adversary, Basis::proven)->notes;
  };
  EXPECT_TRUE(notes(Adversary::server).empty());
  ASSERT_EQ(notes(Adversary::user_level).size(), 1u);
  EXPECT_TRUE(notes(Adversary::user_level)[0].starts_with("the unit is the client"));
}

}  // namespace
}  // namespace dpbudget::fl
