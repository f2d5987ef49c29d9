#include "dpbudget/fl/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "dpbudget/fl/executed.h"
#include "dpbudget/fl/ledger_checks.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

std::set<std::string> failed(const Run& run, Fault fault, const FederatedData& data = eight_clients()) {
  std::set<std::string> names;
  for (const Check& check : check_ledger(ledger_from(finished(run, data, fault).ledger)))
    if (!check.passed) names.insert(check.name);
  return names;
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds = noisy_kinds();
  kinds.push_back(adaptive_clipping());
  return kinds;
}

bool has_normal_noise(const Run& run) {
  return find_algorithm(run.algorithm).mechanism != Mechanism::shuffled_binomial;
}

TEST(Fault, NoneFailsNoCheck) {
  for (const Kind& kind : all_kinds()) EXPECT_EQ(failed(kind.run, Fault::none), std::set<std::string>{}) << kind.name;
  for (const AlgorithmEntry& entry : all_algorithms()) {
    if (entry.adds_noise()) continue;
    EXPECT_EQ(failed(kind_of(std::string(entry.name)), Fault::none), std::set<std::string>{}) << entry.name;
  }
}

TEST(Fault, WeakNoiseIsNotWhatItsStreamGives) {
  for (const Kind& kind : all_kinds()) {
    if (!has_normal_noise(kind.run)) continue;
    EXPECT_EQ(failed(kind.run, Fault::weak_noise), std::set<std::string>{"noise_stream"}) << kind.name;
  }
}

TEST(Fault, SharedNoiseIsNotTheClientsOwn) {
  for (const Kind& kind : all_kinds()) {
    if (!has_normal_noise(kind.run)) continue;
    EXPECT_EQ(failed(kind.run, Fault::shared_noise), std::set<std::string>{"noise_stream"}) << kind.name;
  }
}

TEST(Fault, UnclippedRecordsExceedTheClippingNorm) {
  for (Kind& kind : all_kinds()) {
    kind.run.clip_norm = 0x1p-6;
    EXPECT_EQ(failed(kind.run, Fault::unclipped), std::set<std::string>{"clipping"}) << kind.name;
  }
}

TEST(Fault, AClientDrawnTwiceHasTwoLines) {
  for (const Kind& kind : all_kinds())
    EXPECT_EQ(failed(kind.run, Fault::drawn_twice), std::set<std::string>{"participations"}) << kind.name;
}

TEST(Fault, ShiftedSchedulesHaveAnotherRoundsNoise) {
  for (Kind& kind : all_kinds()) {
    if (find_algorithm(kind.run.algorithm).mechanism != Mechanism::gaussian) continue;
    kind.run.schedule = "exponential:0.5";
    EXPECT_EQ(failed(kind.run, Fault::shifted_schedule), std::set<std::string>{"noise"}) << kind.name;
  }
}

// Whoever is drawn twice uses its batch twice, and a record is in two releases: no guarantee is made up for that.
TEST(Fault, ABatchUsedTwiceHasNoGuarantee) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  const FederatedData data = eight_clients();
  const Ledger twice = ledger_from(finished(run, data, Fault::drawn_twice).ledger);
  const Sizes sizes = distinct_sizes(twice.header.run, twice.header.clients).front();
  for (const Adversary adversary : {Adversary::third_party, Adversary::server, Adversary::other_clients})
    EXPECT_FALSE(executed_plan(twice, sizes, adversary)) << to_string(adversary);
  EXPECT_FALSE(realised_plan(twice, twice.rounds.front().participants.clients.front()));
}

}  // namespace
}  // namespace dpbudget::fl
