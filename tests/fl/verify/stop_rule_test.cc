// A run stops where its budget ends, and what it leaves keeps to it, to the last bit.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// For a budget that some rounds of `run` spend to the last bit.
void expect_one_number(RunRequest run, const FederatedData& data, const std::vector<Adversary>& adversaries) {
  const auto dimension = static_cast<std::uint64_t>(3 * (data.train.features.cols() + 1));
  for (const Adversary adversary : adversaries) {
    SCOPED_TRACE(run.algorithm + ", " + run.schedule + ", " + std::string(to_string(adversary)));
    run.budget_for = adversary;
    run.epsilon.reset();
    const SettledRun whole = settle(run);
    const std::vector<Sizes> everybody = distinct_sizes(whole, records_of(data), dimension);
    Pricing price(run.delta);
    const SettledRun shorter = whole.with_rounds(whole->rounds - 1);
    const double budget = worst_epsilon(shorter, everybody, shorter.released_rounds(), price);
    if (std::isinf(budget)) continue;
    run.epsilon = budget;
    const Ledger ledger = ledger_from(finished(run, data).ledger);
    const Report report = verify(ledger, run.delta);
    EXPECT_TRUE(report.passed);
    ASSERT_TRUE(report.budget);
    EXPECT_EQ(report.budget->spent, worst_epsilon(ledger.header.run, everybody, ledger.rounds.size(), price));
    EXPECT_TRUE(report.budget->is_kept());
  }
}

TEST(StopRule, IsTheVerdictForEveryKindOfRun) {
  // In turn: either takes long, and each kind of event is released by several kinds of run.
  std::vector<Adversary> next = {Adversary::third_party};
  for (const Kind& kind : noisy_kinds()) {
    // Shuffled batches take long, whatever the algorithm.
    if (kind.run.batches == Batches::shuffled && kind.run.algorithm != "dp-fedsgd") continue;
    expect_one_number(kind.run, eight_clients(), next);
    next = {next.front() == Adversary::third_party ? Adversary::user_level : Adversary::third_party};
  }
  expect_one_number(adaptive_clipping().run, eight_clients(), {Adversary::third_party, Adversary::user_level});
}

// Noise, norm and rates that no binary fraction holds, among clients of several sizes, one of which is rarely drawn.
TEST(StopRule, IsTheVerdictUnderEverySchedule) {
  const FederatedData unequal = small_data({20, 31, 20, 31, 20, 20, 31, 47});
  for (const char* schedule : {"constant", "exponential:0.99", "chang1:beta=0.9,hold=1", "chang2:beta=0.97,hold=1",
                               "step:factor=0.8,every=2", "inverse-sqrt", "inverse:3,2", "table:1.1;1;0.9;0.8;1.3;1"})
    for (const char* algorithm : {"dp-fedavg", "dp-mb-sgd", "shuffled-mb-sgd"})
      for (const Batches batches : {Batches::fresh, Batches::disjoint}) {
        if (batches == Batches::disjoint && std::string(algorithm) == "dp-fedavg") continue;
        // Each schedule once, and two of them with every algorithm and way to draw batches.
        const bool is_plain = batches == Batches::fresh && std::string(algorithm) == "dp-fedavg";
        if (!is_plain && !std::string(schedule).starts_with("chang1") && !std::string(schedule).starts_with("table"))
          continue;
        RunRequest run = small_run(algorithm);
        if (std::string(schedule).starts_with("chang2") && !run.local_steps) continue;  // it changes from step to step
        run.schedule = schedule;
        run.batches = batches;
        run.noise_multiplier = 6.1;
        run.clip_norm = 0.3;
        run.rounds = 4;
        expect_one_number(run, unequal, {Adversary::third_party});
      }
}

}  // namespace
}  // namespace dpbudget::fl
