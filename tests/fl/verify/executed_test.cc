#include "dpbudget/fl/verify/executed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

Ledger ledger_of(const std::vector<RoundEntry>& rounds, const std::vector<Participation>& participations) {
  return {{settle(small_run("dp-fedavg")), {20, 20, 40, 60}, 0, {}, 0, {}}, rounds, participations, {}, false};
}

RoundEntry round_of(std::uint64_t number, std::vector<std::uint64_t> participants) {
  const std::vector<double> weights(participants.size(), 1 / static_cast<double>(participants.size()));
  return {number,
          Phase::training,
          {.scheme = "without_replacement",
           .drawn = participants.size(),
           .population = 4,
           .clients = std::move(participants),
           .times = {},
           .weights = weights}};
}

// Noise 1 at clipping norm 2: 0.25 clients' and `sample` / 4 records' sensitivities.
ReleaseRun release(std::uint64_t sample, std::uint64_t population, double noise_std = 1) {
  return {.count = 3,
          .mechanism = "gaussian",
          .noise_std = noise_std,
          .clip_norm = 2,
          .largest_norm = 1,
          .largest_released = 1,
          .sample = sample,
          .population = population,
          .scheme = "without_replacement",
          .first = std::nullopt,
          .pass = std::nullopt,
          .count_noise = std::nullopt,
          .encoder = std::nullopt,
          .coordinates = 5,
          .noise_sum_of_squares = 15};
}

// Of the clients of `ledger_of` with so many records.
Sizes holding(std::uint64_t records) { return {.clients = 4, .records = records, .all_records = 140}; }

std::string plan_text(const std::optional<Plan>& plan) { return plan ? to_text(plan->event) : "none"; }
std::string read(const std::string& plan) { return to_text(parse(plan).event); }

TEST(ExecutedPlan, FoldsEqualRounds) {
  const Ledger ledger = ledger_of({round_of(1, {0}), round_of(2, {0}), round_of(3, {1})},
                                  {{1, 0, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {3, 1, {release(4, 20)}}});
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(20), Adversary::server)),
            read("3 x participates(1 of 4, 3 x wor(4 of 20, gaussian(1)))"));
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(20), Adversary::user_level)),
            read("3 x participates(1 of 4, 3 x gaussian(0.25))"));
  // Nobody who holds as much was drawn, which costs as much as was planned for whoever might have been.
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(40), Adversary::server)),
            read("3 x participates(1 of 4, 3 x wor(8 of 40, gaussian(2)))"));
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(50), Adversary::server)), "none");
  const Ledger empty = ledger_of({}, {});
  EXPECT_EQ(plan_text(Execution(empty).plan(holding(20), Adversary::server)), "none");
}

// fl/account/proofs.md, 9.3
TEST(ExecutedPlan, KeepsRoundsApartThatDiffer) {
  const Ledger ledger = ledger_of({round_of(1, {0}), round_of(2, {0, 1})},
                                  {{1, 0, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {2, 1, {release(4, 20)}}});
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(20), Adversary::server)),
            read("participates(1 of 4, 3 x wor(4 of 20, gaussian(1))) + "
                 "participates(2 of 4, 3 x wor(4 of 20, gaussian(1)))"));
}

// fl/account/proofs.md, 9.1 and 9.2
TEST(ExecutedPlan, CountsARoundInWhichTheSizeIsAbsent) {
  const Ledger ledger =
      ledger_of({round_of(1, {0}), round_of(2, {2})}, {{1, 0, {release(4, 20)}}, {2, 2, {release(8, 40)}}});
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(20), Adversary::server)),
            read("2 x participates(1 of 4, 3 x wor(4 of 20, gaussian(1)))"));
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(40), Adversary::server)),
            read("2 x participates(1 of 4, 3 x wor(8 of 40, gaussian(2)))"));
}

// fl/account/proofs.md, 9.2
TEST(ExecutedPlan, CountsAllThatClientsOfOneSizeDid) {
  const Ledger ledger = ledger_of({round_of(1, {0, 1})}, {{1, 0, {release(4, 20)}}, {1, 1, {release(4, 20, 3)}}});
  EXPECT_EQ(plan_text(Execution(ledger).plan(holding(20), Adversary::server)),
            read("participates(2 of 4, 3 x wor(4 of 20, gaussian(1)) + 3 x wor(4 of 20, gaussian(3)))"));
}

// fl/account/proofs.md, 9.6
TEST(RealisedPlan, HasTheRoundsOfTheClientAndNoOther) {
  const Ledger ledger = ledger_of(
      {round_of(1, {0, 1}), round_of(2, {0}), round_of(3, {0})},
      {{1, 0, {release(4, 20)}}, {1, 1, {release(4, 20)}}, {2, 0, {release(4, 20)}}, {3, 0, {release(4, 20, 3)}}});
  EXPECT_EQ(plan_text(Execution(ledger).realised(0)),
            read("2 x (3 x wor(4 of 20, gaussian(1))) + 3 x wor(4 of 20, gaussian(3))"));
  EXPECT_EQ(plan_text(Execution(ledger).realised(1)), read("3 x wor(4 of 20, gaussian(1))"));
  EXPECT_EQ(plan_text(Execution(ledger).realised(3)), to_text(Event(Composed{})));
}

// Divided out, 0.7 would come back as 0.7000000000000001.
TEST(ExecutedPlan, HasThePlannedMultiplierWhereItMakesTheRecordedNoise) {
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = 0.7;
  const double recorded = gaussian_std(0.7, 0.3, 40);
  ASSERT_NE(noise_multiplier_of(recorded, 0.3, 40), 0.7);
  const auto executed = [&](double noise_std) {
    Ledger ledger = ledger_of({round_of(1, {2})}, {{1, 2, {release(40, 40, noise_std)}}});
    ledger.header.run = settle(run);
    ledger.participations.front().releases.front().clip_norm = 0.3;
    return plan_text(Execution(ledger).plan(holding(40), Adversary::server));
  };
  EXPECT_EQ(executed(recorded), read("participates(1 of 4, 3 x wor(40 of 40, gaussian(0.7)))"));
  const double less = std::nextafter(recorded, 0);
  EXPECT_EQ(executed(less), read("participates(1 of 4, 3 x wor(40 of 40, gaussian(" +
                                 fmt::format("{}", noise_multiplier_of(less, 0.3, 40)) + ")))"));
}

TEST(ExecutedPlan, IsNothingForWhatIsNoGaussianMechanism) {
  // Whether a participation with a sound run of releases and a spoilt one has a plan.
  const auto spoilt = [](auto spoil) {
    ReleaseRun run = release(4, 20);
    spoil(run);
    const Ledger ledger = ledger_of({round_of(1, {0})}, {{1, 0, {release(4, 20), run}}});
    const bool has_plan = Execution(ledger).plan(holding(20), Adversary::server).has_value();
    EXPECT_EQ(Execution(ledger).realised(0).has_value(), has_plan);
    return has_plan;
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
