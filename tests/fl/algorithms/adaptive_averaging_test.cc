#include "dpbudget/fl/algorithms/adaptive_averaging.h"

#include <gtest/gtest.h>

#include "fl/algorithms/scripted_release.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

Update update_of(const Vector& model, double weight) { return {model, {}, weight}; }

TEST(AdaptiveNfl, FollowsTwoRoundsByHand) {
  auto run = kind_of("adnfl");
  run.options["server_step"] = 0.5;
  run.options["momentum"] = 0.75;
  run.options["second_momentum"] = 0.5;
  run.options["adaptivity"] = 0.25;
  const SettledRun settled = settle(run);
  const Round round{settled, Phase::training, 1, 0.25, 2, 8, 0};
  ServerState state;
  state.model = Vector{{1, 2}};
  const AdaptiveNfl algorithm;
  algorithm.prepare(settled, state);
  // Delta = 0.25 (4, 0) + 0.75 (4, 8) = (4, 6): mu = (1, 1.5), nu = (8, 18) + 1 / 32.
  algorithm.server(round, std::vector{update_of(Vector{{4, 0}}, 0.25), update_of(Vector{{4, 8}}, 0.75)}, state);
  EXPECT_NEAR(state.model(0), 1 + 0.5 * 1 / (std::sqrt(8.03125) + 0.25), 1e-15);
  EXPECT_NEAR(state.model(1), 2 + 0.5 * 1.5 / (std::sqrt(18.03125) + 0.25), 1e-15);
  // Delta = (-2, 0): mu = (0.25, 1.125), nu = (6, 9) + 1 / 64.
  const Vector before = state.model;
  algorithm.server(round, std::vector{update_of(Vector{{-2, 0}}, 1)}, state);
  EXPECT_NEAR(state.model(0) - before(0), 0.5 * 0.25 / (std::sqrt(6.015625) + 0.25), 1e-15);
  EXPECT_NEAR(state.model(1) - before(1), 0.5 * 1.125 / (std::sqrt(9.015625) + 0.25), 1e-15);
}

// The paper's text squares mu where its Algorithm 2 squares Delta.
TEST(AdaptiveNfl, SquaresTheMeanWhereTheTextDoes) {
  auto run = kind_of("adnfl");
  run.options["server_step"] = 0.5;
  run.options["momentum"] = 0.75;
  run.options["second_momentum"] = 0.5;
  run.options["adaptivity"] = 0.25;
  run.options["squares_of"] = "mean";
  const SettledRun settled = settle(run);
  const Round round{settled, Phase::training, 1, 0.25, 2, 8, 0};
  ServerState state;
  state.model = Vector{{1, 2}};
  const AdaptiveNfl algorithm;
  algorithm.prepare(settled, state);
  // mu = (1, 1.5), nu = mu^2 / 2 + 1 / 32.
  algorithm.server(round, std::vector{update_of(Vector{{4, 6}}, 1)}, state);
  EXPECT_NEAR(state.model(0), 1 + 0.5 * 1 / (std::sqrt(0.53125) + 0.25), 1e-15);
  EXPECT_NEAR(state.model(1), 2 + 0.5 * 1.5 / (std::sqrt(1.15625) + 0.25), 1e-15);
  EXPECT_FALSE(completed(kind_of("adnfl")).options.contains("squares_of"));
}

// Without memory every coordinate moves by eta_g Delta / (|Delta| + pi).
TEST(AdaptiveNfl, WithoutMemoryMovesBySigns) {
  auto run = kind_of("adnfl");
  run.options["momentum"] = 0.0;
  run.options["second_momentum"] = 0.0;
  run.options["adaptivity"] = 1e-12;
  const SettledRun settled = settle(run);
  const Round round{settled, Phase::training, 1, 0.25, 3, 8, 0};
  ServerState state;
  state.model = Vector::Zero(3);
  const AdaptiveNfl algorithm;
  algorithm.prepare(settled, state);
  algorithm.server(round, std::vector{update_of(Vector{{3, -0.01, 0}}, 1)}, state);
  EXPECT_LT((state.model - Vector{{1, -1, 0}}).norm(), 1e-9);
}

TEST(AdaptiveNfl, FillsInItsDefaults) {
  const auto options = completed(kind_of("addpnfl")).options;
  EXPECT_EQ(options.at("momentum"), OptionValue(0.9));
  EXPECT_EQ(options.at("second_momentum"), OptionValue(0.99));
  EXPECT_EQ(options.at("adaptivity"), OptionValue(1e-3));
}

// FedAvg's client with a step that is not scaled, and its server with the run's weights.
TEST(Nfl, StepsAlongItsReleases) {
  auto run = kind_of("nfl");
  run.regularisation = 0.5;
  const SettledRun settled = settle(run);
  const Round round{settled, Phase::training, 1, 0.25, 2, 8, 0};
  ScriptedRelease release(Vector{{1, 0}}, 1);
  ServerState server;
  server.model = Vector{{2, 2}};
  ClientState client;
  Update update;
  Nfl().client(round, server, client, release, update);
  // g = (2, 3), x -= 0.25 (g + x / 2): (1.25, 1); g = (2.25, 3): (0.53125, 0.125).
  EXPECT_LT((update.model - Vector{{0.53125 - 2, 0.125 - 2}}).norm(), 1e-15);
  EXPECT_EQ(release.asked.size(), 2U);
  Nfl().server(round, std::vector{update_of(Vector{{1, 2}}, 2), update_of(Vector{{-1, 1}}, 0.5)}, server);
  EXPECT_LT((server.model - Vector{{3.5, 6.5}}).norm(), 1e-15);
}

}  // namespace
}  // namespace dpbudget::fl
