#include "dpbudget/fl/simulate/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

std::set<std::string> failed(const RunRequest& run, Fault fault, const FederatedData& data = eight_clients()) {
  std::set<std::string> names;
  for (const Check& check : check_ledger(ledger_from(finished(run, data, fault).ledger)))
    if (!check.passed) names.insert(check.name);
  return names;
}

std::vector<Kind> faulty_kinds() {
  std::vector<Kind> kinds = noisy_kinds();
  kinds.push_back(adaptive_clipping());
  kinds.push_back(following_errors());
  return kinds;
}

TEST(Fault, NoneFailsNoCheck) {
  for (const Kind& kind : faulty_kinds())
    EXPECT_EQ(failed(kind.run, Fault::none), std::set<std::string>{}) << kind.name;
  for (const AlgorithmTraits& entry : all_algorithms()) {
    if (entry.adds_noise()) continue;
    EXPECT_EQ(failed(kind_of(std::string(entry.name)), Fault::none), std::set<std::string>{}) << entry.name;
  }
}

TEST(Fault, WeakNoiseIsNotWhatItsStreamGives) {
  for (const Kind& kind : faulty_kinds())
    EXPECT_EQ(failed(kind.run, Fault::weak_noise), std::set<std::string>{"noise_stream"}) << kind.name;
}

TEST(Fault, SharedNoiseIsNotTheClientsOwn) {
  for (const Kind& kind : faulty_kinds())
    EXPECT_EQ(failed(kind.run, Fault::shared_noise), std::set<std::string>{"noise_stream"}) << kind.name;
}

// What the check noise_stream finds.
std::string reason(const RunRequest& run, Fault fault) {
  const auto checks = check_ledger(ledger_from(finished(run, eight_clients(), fault).ledger));
  return std::ranges::find(checks, "noise_stream", &Check::name)->reason;
}

TEST(Fault, CountsBelowTheThresholdHaveTheirOwnNoise) {
  const fl::RunRequest run = adaptive_clipping().run;
  for (const Fault fault : {Fault::weak_count_noise, Fault::shared_count_noise}) {
    EXPECT_EQ(failed(run, fault), std::set<std::string>{"noise_stream"}) << to_string(fault);
    EXPECT_NE(reason(run, fault).find("on the number of norms below the threshold"), std::string::npos);
  }
  // Batches that are large beside the noise: rounding hides nothing, and nothing is taken for a mistake.
  auto small_noise = run;
  small_noise.record_rate = 1;
  small_noise.options["clip_noise"] = 1e-6;
  EXPECT_EQ(failed(small_noise, Fault::none), std::set<std::string>{});
  EXPECT_EQ(failed(small_noise, Fault::weak_count_noise), std::set<std::string>{"noise_stream"});
}

// The recorded counts say which norm each round should have had.
TEST(Fault, ANormThatDoesNotFollowTheCountsIsNotThatOfItsRound) {
  const fl::RunRequest run = adaptive_clipping().run;
  EXPECT_EQ(failed(run, Fault::stuck_norm), std::set<std::string>{"clipping"});
  EXPECT_EQ(failed(run, Fault::noiseless_count), std::set<std::string>{"noise_stream"});
  const std::string text = finished(run, eight_clients()).ledger;
  const auto failed_with = [&](std::uint64_t round, const auto& edit) {
    Ledger ledger = ledger_from(text);
    for (Participation& participation : ledger.participations)
      if (participation.round == round)
        for (ReleaseRun& release : participation.releases) edit(release);
    std::set<std::string> names;
    for (const Check& check : check_ledger(ledger))
      if (!check.passed) names.insert(check.name);
    return names;
  };
  EXPECT_EQ(failed_with(4, [](ReleaseRun&) {}), std::set<std::string>{});
  // Of the first round it is the header's, and one for all participants.
  for (const std::uint64_t round : {1, 3})
    EXPECT_TRUE(failed_with(round, [](ReleaseRun& release) { release.clip_norm *= 1.001; }).contains("clipping"));
  EXPECT_EQ(failed_with(2, [](ReleaseRun& release) { release.count_below += 1; }), std::set<std::string>{"clipping"});
}

// In the last round no norm follows from a count any more; but all records are below the threshold, or not.
TEST(Fault, ACountThatTheLargestNormForbidsIsNone) {
  // What is said of a last count that is changed by so much.
  const auto said_of = [](const std::string& text, double change) {
    Ledger ledger = ledger_from(text);
    ledger.participations.back().releases.back().count_below += change;
    for (const Check& check : check_ledger(ledger))
      if (!check.passed) return check.reason;
    return std::string();
  };
  RunRequest run = adaptive_clipping().run;
  const std::string some_above = finished(run, eight_clients()).ledger;
  std::size_t forbidden = 0;
  for (double change = 1; change <= 16; ++change)
    if (said_of(some_above, change).find("but the largest is") != std::string::npos) ++forbidden;
  EXPECT_EQ(forbidden, 1U);
  run.clip_norm = 64;
  const std::string all_below = finished(run, eight_clients()).ledger;
  EXPECT_EQ(said_of(all_below, 0), "");
  EXPECT_NE(said_of(all_below, -1).find("but the largest is"), std::string::npos);
}

// One bit in fifty less, in one client's reports or in all.
TEST(Fault, BinomialNoiseIsDrawnAnew) {
  const fl::RunRequest run = kind_of("binomial-ac-sa");
  // Four rounds of four clients with eight reports of 15 coordinates.
  EXPECT_TRUE(reason(run, Fault::none).starts_with("1920 draws")) << reason(run, Fault::none);
  for (const Fault fault : {Fault::weak_noise, Fault::shared_noise})
    EXPECT_NE(reason(run, fault).find("its own stream gives"), std::string::npos);
}

TEST(Fault, UnclippedRecordsExceedTheClippingNorm) {
  for (Kind& kind : faulty_kinds()) {
    kind.run.clip_norm = 0x1p-6;
    EXPECT_EQ(failed(kind.run, Fault::unclipped), std::set<std::string>{"clipping"}) << kind.name;
  }
}

TEST(Fault, AClientDrawnTwiceHasTwoLines) {
  for (const Kind& kind : faulty_kinds())
    EXPECT_EQ(failed(kind.run, Fault::drawn_twice), std::set<std::string>{"participations"}) << kind.name;
}

TEST(Fault, ShiftedSchedulesHaveAnotherRoundsNoise) {
  for (Kind& kind : faulty_kinds()) {
    if (find_algorithm(kind.run.algorithm).mechanism != Mechanism::gaussian) continue;
    kind.run.schedule = "exponential:0.5";
    EXPECT_EQ(failed(kind.run, Fault::shifted_schedule), std::set<std::string>{"noise"}) << kind.name;
  }
}

// Whoever is drawn twice uses its batch twice, and a record is in two releases: no guarantee is made up for that.
// fl/account/proofs.md, 3.2
TEST(Fault, ABatchUsedTwiceHasNoGuarantee) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  const FederatedData data = eight_clients();
  const Ledger twice = ledger_from(finished(run, data, Fault::drawn_twice).ledger);
  const Sizes sizes = distinct_sizes(twice.header.run, twice.header.clients).front();
  for (const Adversary adversary : {Adversary::third_party, Adversary::server, Adversary::other_clients})
    EXPECT_FALSE(Execution(twice).plan(sizes, adversary)) << to_string(adversary);
  EXPECT_FALSE(Execution(twice).realised(twice.rounds.front().participants.clients.front()));
}

// fl/account/proofs.md, 11.5
TEST(Fault, ABatchUsedAgainInItsPassHasNoGuarantee) {
  auto run = kind_of("dp-fedsgd");
  run.batches = Batches::shuffled;
  const FederatedData data = eight_clients();
  EXPECT_EQ(failed(run, Fault::reused_batch), std::set<std::string>{"record_sampling"});
  for (const Fault fault : {Fault::reused_batch, Fault::drawn_twice}) {
    const Ledger ledger = ledger_from(finished(run, data, fault).ledger);
    const Sizes sizes = distinct_sizes(ledger.header.run, ledger.header.clients).front();
    for (const Adversary adversary : {Adversary::third_party, Adversary::server, Adversary::other_clients})
      EXPECT_FALSE(Execution(ledger).plan(sizes, adversary)) << to_string(fault) << ", " << to_string(adversary);
    EXPECT_FALSE(Execution(ledger).realised(ledger.rounds.front().participants.clients.front()));
    // A whole client is in every batch anyway.
    EXPECT_TRUE(Execution(ledger).plan(sizes, Adversary::user_level));
  }
}

}  // namespace
}  // namespace dpbudget::fl
