#include "dpbudget/fl/convergence/noble_steps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

NobleRun hundred_users() {
  return {.smoothness = 2,
          .gradient_variance = 0.9,
          .clip_norm = 0.7,
          .noise_multiplier = 1.5,
          .dimension = 5,
          .users = 100,
          .participants = 4,
          .batch = 10,
          .local_steps = 6};
}
constexpr Dissimilarity dissimilar{.offset = 1.3, .factor = 1.7};

// No step of a grid from a billionth to twice the best, wherever it is taken, has a smaller bound.
RC_GTEST_PROP(NobleSteps, AreTheBest, ()) {
  NobleRun run = hundred_users();
  run.smoothness = *rc::gen::element(0.01, 1.0, 1e4);
  run.noise_multiplier = *rc::gen::element(0.0, 1.0, 1e3);
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
