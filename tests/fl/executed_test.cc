#include "dpbudget/fl/executed.h"

#include <gtest/gtest.h>

#include <limits>

#include "dpbudget/accounting/plan/language.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

Ledger ledger_of(const std::vector<RoundEntry>& rounds, const std::vector<Participation>& participations) {
  Ledger ledger;
  ledger.header.run = completed(small_run("dp-fedavg"));
  ledger.header.clients = {20, 20, 40, 60};
  ledger.rounds = rounds;
  ledger.participations = participations;
  return ledger;
}

RoundEntry round_of(std::uint64_t number, std::vector<std::uint64_t> participants) {
  return {number, Phase::training, "without_replacement", participants.size(), 4, participants};
}

// Noise 1 at clipping norm 2: 0.25 clients' and `sample` / 4 records' sensitivities.
ReleaseRun release(std::uint64_t sample, std::uint64_t population, double noise_std = 1) {
  return {3, "gaussian", noise_std, 2, 1, sample, population, "without_replacement", 5, 15};
}

std::string text(const std::optional<Plan>& plan) { return plan ? to_text(plan->event) : "none"; }
std::string read(const std::string& plan) { return to_text(parse(plan).event); }

TEST(ExecutedPlan, FoldsEqualRounds) {
  const Ledger ledger = ledger_of({round_of(1, {0}), round_of(2, {0}), round_of(3, {1})},
                                  {{1, 0, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {3, 1, {release(4, 20)}}});
  EXPECT_EQ(text(executed_plan(ledger, 20, Protects::record)),
            read("3 x participates(1 of 4, 3 x wor(4 of 20, gaussian(1)))"));
  EXPECT_EQ(text(executed_plan(ledger, 20, Protects::client)), read("3 x participates(1 of 4, 3 x gaussian(0.25))"));
  EXPECT_EQ(text(executed_plan(ledger, 40, Protects::record)), "none");
}

TEST(ExecutedPlan, KeepsRoundsApartThatDiffer) {
  const Ledger ledger = ledger_of({round_of(1, {0}), round_of(2, {0, 1})},
                                  {{1, 0, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {2, 1, {release(4, 20)}}});
  EXPECT_EQ(text(executed_plan(ledger, 20, Protects::record)),
            read("1 x participates(1 of 4, 3 x wor(4 of 20, gaussian(1))) + "
                 "1 x participates(2 of 4, 3 x wor(4 of 20, gaussian(1)))"));
}

TEST(ExecutedPlan, CountsARoundInWhichTheSizeIsAbsent) {
  const Ledger ledger =
      ledger_of({round_of(1, {0}), round_of(2, {2})}, {{1, 0, {release(4, 20)}}, {2, 2, {release(8, 40)}}});
  EXPECT_EQ(text(executed_plan(ledger, 20, Protects::record)),
            read("2 x participates(1 of 4, 3 x wor(4 of 20, gaussian(1)))"));
  EXPECT_EQ(text(executed_plan(ledger, 40, Protects::record)),
            read("2 x participates(1 of 4, 3 x wor(8 of 40, gaussian(2)))"));
}

TEST(ExecutedPlan, CountsAllThatClientsOfOneSizeDid) {
  const Ledger ledger = ledger_of({round_of(1, {0, 1})}, {{1, 0, {release(4, 20)}}, {1, 1, {release(4, 20, 3)}}});
  EXPECT_EQ(text(executed_plan(ledger, 20, Protects::record)),
            read("1 x participates(2 of 4, 3 x wor(4 of 20, gaussian(1)) + 3 x wor(4 of 20, gaussian(3)))"));
}

TEST(RealisedPlan, HasTheRoundsOfTheClientAndNoOther) {
  const Ledger ledger = ledger_of(
      {round_of(1, {0, 1}), round_of(2, {0}), round_of(3, {0})},
      {{1, 0, {release(4, 20)}}, {1, 1, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {3, 0, {release(4, 20, 3)}}});
  EXPECT_EQ(text(realised_plan(ledger, 0)),
            read("2 x (3 x wor(4 of 20, gaussian(1))) + 1 x (3 x wor(4 of 20, gaussian(3)))"));
  EXPECT_EQ(text(realised_plan(ledger, 1)), read("1 x (3 x wor(4 of 20, gaussian(1)))"));
  EXPECT_EQ(text(realised_plan(ledger, 3)), to_text(Event(Composed{})));
}

TEST(EventOf, IsNothingForWhatIsNoGaussianMechanism) {
  const auto spoilt = [](auto spoil) {
    ReleaseRun run = release(4, 20);
    spoil(run);
    const Participation participation{1, 0, {release(4, 20), run}};
    return event_of(participation, Protects::record).has_value();
  };
  EXPECT_TRUE(spoilt([](ReleaseRun&) {}));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.mechanism = "none"; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.scheme = "fixed"; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.noise_std = 0; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.noise_std = -1; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.clip_norm = std::numeric_limits<double>::infinity(); }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.clip_norm = 0; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.sample = 0; }));
  EXPECT_FALSE(spoilt([](ReleaseRun& run) { run.sample = 21; }));
}

}  // namespace
}  // namespace dpbudget::fl
