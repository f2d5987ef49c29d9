#include "dpbudget/fl/account/proven_plan.h"

#include <gtest/gtest.h>

#include "fl/table_run.h"

namespace dpbudget::fl {
namespace {

std::string text(const RunRequest& run, Adversary adversary, std::uint64_t records = 4000) {
  return plan_text(run, adversary, Basis::proven, records);
}

// With several local steps a step's noise is the client's own, whoever looks.
// fl/account/proofs.md, 1.1 and 1.2
TEST(ProvenPlan, IsEveryReleaseOfTheRoundsOfParticipation) {
  for (const std::string algorithm : table_algorithms) {
    SCOPED_TRACE(algorithm);
    const auto run = table_run(algorithm);
    const AlgorithmTraits& entry = find_algorithm(algorithm);
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

TEST(ProvenPlan, IsProvenAndSaysWhatItsUnitIs) {
  const auto notes = [](Adversary adversary) {
    const auto view = plan(table_run("dp-scaffold"), {.clients = 100, .records = 4000}, adversary, Basis::proven);
    EXPECT_EQ(view->guarantee, Guarantee::proven);
    return view->notes;
  };
  EXPECT_TRUE(notes(Adversary::server).empty());
  ASSERT_EQ(notes(Adversary::user_level).size(), 1u);
  EXPECT_TRUE(notes(Adversary::user_level)[0].starts_with("the unit is the client"));
}

}  // namespace
}  // namespace dpbudget::fl
