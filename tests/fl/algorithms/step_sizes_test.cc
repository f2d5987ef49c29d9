#include "dpbudget/fl/algorithms/step_sizes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "fl/asked.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Three local steps, 0.2 of the records, eta_0 = 0.3: eta_0 / (s K) = 0.5 where it is scaled.
RunRequest scheduled(const std::string& algorithm, const std::string& schedule) {
  RunRequest run = small_run(algorithm);
  run.options["step_schedule"] = schedule;
  return run;
}

void expect_steps(const RunRequest& run, std::uint64_t round, const std::vector<double>& expected) {
  const std::vector<double> found = StepSizes(settle(run), 10).local(round, 20);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15 * expected[i]);
}

TEST(StepSizes, FollowTheirScheduleOverRounds) {
  expect_steps(small_run("fedavg"), 4, {0.5});
  expect_steps(small_run("nfl"), 4, {0.3});
  expect_steps(scheduled("fedavg", "constant"), 4, {0.5});
  expect_steps(scheduled("fedavg", "inverse-sqrt"), 4, {0.25});
  expect_steps(scheduled("nfl", "inverse:4,2"), 6, {0.15});
  expect_steps(scheduled("nfl", "exponential:0.5"), 3, {0.075});
  expect_steps(scheduled("nfl", "step:factor=0.1,every=2"), 3, {0.03});
  expect_steps(scheduled("nfl", "table:1;2;3;4;5;6"), 2, {0.6});
  expect_steps(scheduled("nfl", "table:1,2,3;4,5,6;1,1,1;1,1,1;1,1,1;1,1,1"), 2, {1.2, 1.5, 1.8});
}

TEST(StepSizes, FollowTheirScheduleOverLocalSteps) {
  RunRequest run = scheduled("fedavg", "inverse:1,1");
  run.options["step_clock"] = "steps";
  expect_steps(run, 1, {0.5 / 2, 0.5 / 3, 0.5 / 4});
  expect_steps(run, 6, {0.5 / 17, 0.5 / 18, 0.5 / 19});
}

TEST(StepSizes, AreThoseThatTheoremsPrescribe) {
  const auto by_theorem = [](const std::string& algorithm, const std::string& server) {
    RunRequest run = small_run(algorithm);
    run.options.erase("step");
    run.options["step_schedule"] = "theorem";
    run.options["smoothness"] = 0.9;
    run.regularisation = 0.1;  // L = 1
    if (server == "theorem")
      run.options["server_step_schedule"] = server;
    else
      run.options["server_step"] = std::stod(server);
    return run;
  };
  expect_steps(by_theorem("nfl", "1"), 5, {4 / (0.1 * 3 * 5 + 16 * 3.0)});
  expect_steps(by_theorem("fedavg", "2"), 5, {1 / (8 * 2 * 3 * 2.0)});
  RunRequest dissimilar = by_theorem("dp-fedavg", "2");
  dissimilar.options["dissimilarity"] = 3.0;
  expect_steps(dissimilar, 5, {1 / (8 * 10 * 3 * 2.0)});
  expect_steps(by_theorem("scaffold", "2"), 5, {1 / (81 * 3 * 2.0)});
  // Three of ten clients.
  expect_steps(by_theorem("dp-scaffold-warm", "2"), 5, {std::pow(0.3, 2.0 / 3) / (24 * 3 * 2.0)});
  expect_steps(by_theorem("scaffold-warm", "theorem"), 5, {std::pow(0.3, 2.0 / 3) / (24 * 3 * std::sqrt(3.0))});
  EXPECT_DOUBLE_EQ(StepSizes(settle(by_theorem("fedavg", "theorem")), 10).server_factor(5), std::sqrt(3.0));
}

TEST(StepSizes, OfServersFollowTheirOwnSchedule) {
  RunRequest run = small_run("fedavg");
  run.options["server_step_schedule"] = "exponential:0.5";
  const StepSizes steps(settle(run), 10);
  EXPECT_EQ(steps.server_factor(1), 1);
  EXPECT_EQ(steps.server_factor(3), 0.25);
}

// R = 6 rounds, h = 1, mu = 0.5: 1 / h in the first three, then 2 / (mu (2 h / mu + r - 3)) for r from 3.
TEST(StepSizes, OfMinibatchSgdAreStichs) {
  RunRequest run = small_run("mb-sgd");
  run.options.erase("step");
  run.options["smoothness"] = 0.5;
  run.regularisation = 0.5;
  const std::vector<double> expected = {1, 1, 1, 1, 0.8, 2 / 3.0};
  for (std::uint64_t round = 1; round <= 6; ++round) expect_steps(run, round, {expected[round - 1]});
  run.options["step_schedule"] = "theorem";
  for (std::uint64_t round = 1; round <= 6; ++round) expect_steps(run, round, {expected[round - 1]});
  const StepSizes steps(settle(run), 10);
  EXPECT_TRUE(steps.are_stichs());
  EXPECT_EQ(steps.rule().find("Lowy, Razaviyayn 2023, Lemma D.6"), 0U);
  run.options["step_schedule"] = "inverse-sqrt";
  EXPECT_REFUSED("step_schedule is given, but mb-sgd takes it only without smoothness, or theorem", settle(run));
}

TEST(StepSizes, AreNoneWhereTheAlgorithmFindsItsOwn) {
  EXPECT_TRUE(StepSizes(settle(small_run("ac-sa")), 10).local(1, 20).empty());
}

TEST(StepSizes, RefuseWhatPrescribesNothing) {
  const auto refused = [](const std::string& why, RunRequest run, const auto& change) {
    change(run);
    EXPECT_REFUSED(why, StepSizes(settle(run), 10));
  };
  const auto without_step = [](RunRequest& run) {
    run.options.erase("step");
    run.options["smoothness"] = 1.0;
  };
  const auto nothing = [](RunRequest&) {};
  refused("step_schedule: schedule is foo", scheduled("fedavg", "foo"), nothing);
  refused("step_schedule: round is 6, but must be at most 2", scheduled("fedavg", "table:1;2"), nothing);
  refused("step is given, but fedavg takes it only without", scheduled("fedavg", "theorem"), nothing);
  refused("step_schedule is theorem, but must be another for prifedsync", scheduled("prifedsync", "theorem"),
          without_step);
  refused("smoothness is left out", scheduled("fedavg", "theorem"), [](auto& run) { run.options.erase("step"); });
  refused("regularisation is 0", scheduled("nfl", "theorem"), [&](auto& run) {
    without_step(run);
    run.regularisation = 0;
  });
  refused("server_step is 0.5", scheduled("scaffold", "theorem"), [&](auto& run) {
    without_step(run);
    run.options["server_step"] = 0.5;
  });
  refused("server_step_schedule is theorem, but must be another for nfl", small_run("nfl"),
          [](auto& run) { run.options["server_step_schedule"] = "theorem"; });
  refused("step_clock is given", small_run("fedavg"), [](auto& run) { run.options["step_clock"] = "steps"; });
  refused("step_schedule: noise is", scheduled("fedavg", "exponential:1e-300"), nothing);
}

}  // namespace
}  // namespace dpbudget::fl
