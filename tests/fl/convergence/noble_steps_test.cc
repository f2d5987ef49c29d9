#include "dpbudget/fl/convergence/noble_steps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "fl/convergence/noble_problem.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

NobleRun hundred_users() {
  NobleRun run = twelve_users();
  run.users = 100;
  return run;
}

// No step of a grid from a billionth to twice the best, wherever it is taken, has a smaller bound.
RC_GTEST_PROP(NobleSteps, AreTheBest, ()) {
  NobleRun run = hundred_users();
  run.smoothness = *rc::gen::element(1e-100, 0.01, 1.0, 1e4, 1e100);
  run.noise_multiplier = *rc::gen::element(0.0, 1.0, 1e3, 1e30, 1e100);
  run.participants = *rc::gen::inRange(1, 101);
  run.local_steps = *rc::gen::inRange(1, 20);
  const double server = *rc::gen::element(1.0, std::sqrt(run.participants), 100.0);
  const auto losses = *rc::gen::element<NobleLosses>(
      ConvexLosses{.distance = 3}, ConvexLosses{.distance = 3, .strong_convexity = run.smoothness / 10},
      NonconvexLosses{.gap = 2});
  const std::uint64_t rounds = *rc::gen::element<std::uint64_t>(1, 100, 1000000);
  const auto search = [&](double best, const auto& total) {
    const double found = total(best);
    for (double factor = 2; 1e-9 < factor; factor *= 0.93) {
      double other = std::numeric_limits<double>::infinity();
      try {
        other = total(best * factor);
      } catch (const InvalidArgument&) {
      }
      RC_ASSERT(found <= other * (1 + 1e-6));
    }
  };
  search(noble_fedavg_best_step(run, losses, dissimilar, server, rounds), [&](double step) {
    return noble_fedavg_bound(run, losses, dissimilar, {.local = step, .server = server}, rounds).total;
  });
  search(noble_scaffold_best_step(run, losses, server, rounds), [&](double step) {
    return noble_scaffold_bound(run, losses, {.local = step, .server = server}, rounds).total;
  });
}

// With noise a bound falls as 1 / sqrt(T), without it and with all users as 1 / T.
TEST(NobleSteps, GiveTheRatesOfTheTheorems) {
  NobleRun run = hundred_users();
  run.noise_multiplier = 100;
  const NobleLosses losses = ConvexLosses{.distance = 3};
  const auto total = [&](std::uint64_t rounds) {
    const double step = noble_scaffold_best_step(run, losses, 2, rounds);
    return noble_scaffold_bound(run, losses, {.local = step, .server = 2}, rounds).total;
  };
  EXPECT_NEAR(total(100000000) / total(400000000), 2, 0.01);
  run.noise_multiplier = run.gradient_variance = 0;
  EXPECT_NEAR(total(100) / total(400), 4, 1e-6);
  const NobleLosses strongly_convex = ConvexLosses{.distance = 3, .strong_convexity = 1};
  const double step = noble_scaffold_best_step(run, strongly_convex, 2, 10000000);
  // Less than any double but 0, which it is not.
  const double last = noble_scaffold_bound(run, strongly_convex, {.local = step, .server = 2}, 10000000).total;
  EXPECT_GT(last, 0);
  EXPECT_LT(last, 1e-300);
}

// The terms of the bound are there, but none is a number that a double holds.
TEST(NobleSteps, RefuseNumbersThatNoStepMakesFinite) {
  const NobleLosses far = ConvexLosses{.distance = 1e200};
  EXPECT_REFUSED("run and losses", noble_fedavg_best_step(hundred_users(), far, dissimilar, 1, 5));
  EXPECT_REFUSED("run and losses", noble_scaffold_best_step(hundred_users(), far, 1, 5));
  NobleRun rough = hundred_users();
  rough.smoothness = 1e308;
  EXPECT_REFUSED("run and losses", noble_fedavg_best_step(rough, ConvexLosses{.distance = 1e10}, dissimilar, 1e10, 5));
}

TEST(NobleSteps, RefuseByName) {
  const NobleLosses losses = ConvexLosses{.distance = 3};
  NobleRun bad = hundred_users();
  bad.smoothness = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED("smoothness", noble_fedavg_best_step(bad, losses, dissimilar, 1, 5));
  EXPECT_REFUSED("smoothness", noble_scaffold_best_step(bad, losses, 1, 5));
  EXPECT_REFUSED("gap", noble_scaffold_best_step(hundred_users(), NonconvexLosses{.gap = 0}, 1, 5));
  EXPECT_REFUSED("offset", noble_fedavg_best_step(hundred_users(), losses, {.offset = -1}, 1, 5));
  for (const double server : {0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_REFUSED("server_step", noble_fedavg_best_step(hundred_users(), losses, dissimilar, server, 5));
    EXPECT_REFUSED("server_step", noble_scaffold_best_step(hundred_users(), losses, server, 5));
  }
  EXPECT_REFUSED("rounds", noble_fedavg_best_step(hundred_users(), losses, dissimilar, 1, 0));
  EXPECT_REFUSED("rounds", noble_scaffold_best_step(hundred_users(), losses, 1, 0));
}

}  // namespace
}  // namespace dpbudget::fl
