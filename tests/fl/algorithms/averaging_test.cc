#include "dpbudget/fl/algorithms/averaging.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fl/algorithms/scripted_release.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

SettledRun run_of_four() {
  RunRequest run = small_run("fedavg");
  run.local_steps = 4;
  run.server_step = 0.5;
  run.regularisation = 0.02;
  return settle(run);
}

const SettledRun four_steps = run_of_four();
const Round round_of_four{four_steps, Phase::training, 1, 0.1, 2, 4, 0};

TEST(LocalSteps, ClientTakesKStepsAlongWhatWasReleased) {
  const ServerState server{Vector{{1, -2}}, {}, {}};
  ClientState state;
  ScriptedRelease release(Vector{{0.5, 3}}, 0.01);
  Update update;
  LocalSteps().client(round_of_four, server, state, release, update);

  ASSERT_EQ(release.given.size(), 4u);
  Vector y = server.model;
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((release.asked[k] - y).norm(), 1e-15);
    y = (1 - 0.1 * 0.02) * y - 0.1 * release.given[k];
  }
  EXPECT_LT((update.model - (y - server.model)).norm(), 1e-15);
}

TEST(AveragingServer, TakesTheWeightedSumOfUpdates) {
  const std::vector<Update> updates = {{Vector{{1, 2}}, {}, 0.5}, {Vector{{3, -6}}, {}, 0.25}};
  ServerState state{Vector{{10, 10}}, {}, {}};
  LocalSteps().server(round_of_four, updates, state);
  EXPECT_LT((weighted_sum(updates) - Vector{{1.25, -0.5}}).norm(), 1e-15);
  EXPECT_LT((state.model - Vector{{10.625, 9.75}}).norm(), 1e-15);
}

TEST(LocalSteps, StayInTheBall) {
  auto run = kind_of("local-sgd");
  run.radius = 1;
  run.regularisation = 0;
  const SettledRun settled = settle(run);
  EXPECT_EQ(batch_of(run, 100), 1U);
  const Round round{settled, Phase::training, 1, 0.5, 2, 1, 0};
  ServerState server;
  server.model = Vector{{0, 1}};
  ScriptedRelease release(Vector{{8, 1}}, 0);
  ClientState client;
  Update update;
  LocalSteps().client(round, server, client, release, update);
  // (4, 1) / sqrt(17), then half the way from there to (8, 1), on the sphere again.
  const Vector first = Vector{{4, 1}} / std::sqrt(17.0);
  ASSERT_EQ(release.asked.size(), 2U);
  EXPECT_LT((release.asked[1] - first).norm(), 1e-15);
  const Vector second = (first + Vector{{8, 1}}) / 2;
  EXPECT_LT((update.model - (second / second.norm() - server.model)).norm(), 1e-15);
}

// Weights that add up to more than 1, or a server step above 1, lead out of it.
TEST(AveragingServer, StaysInTheBall) {
  auto run = kind_of("local-sgd");
  run.radius = 1;
  run.server_step = 3;
  const SettledRun settled = settle(run);
  const Round round{settled, Phase::training, 1, 0.5, 2, 1, 0};
  ServerState state{Vector{{3, 4}}, {}, {}};
  LocalSteps().prepare(settled, state);
  EXPECT_LT((state.model - Vector{{0.6, 0.8}}).norm(), 1e-15);
  LocalSteps().server(round, std::vector<Update>{{Vector{{0, -0.6}}, {}, 1}}, state);
  EXPECT_LT((state.model - Vector{{0.6, -1}}.normalized()).norm(), 1e-15);
}

RC_GTEST_PROP(Projection, IsTheNearestPointOfTheBall, ()) {
  const auto number = [] { return static_cast<double>(*rc::gen::inRange(-1000000, 1000000)) * 1e-5; };
  fl::RunRequest run = kind_of("local-sgd");
  run.radius = 1e-3 + std::abs(number());
  const Vector point{{number(), number(), number()}};
  Vector projected = point;
  project(settle(run), projected);
  RC_ASSERT(projected.norm() <= *run.radius * (1 + 1e-15));
  Vector again = projected;
  project(settle(run), again);
  RC_ASSERT((again - projected).norm() <= 1e-15 * projected.norm());
  // The obtuse angle that a projection on a convex set makes with any of its points.
  Vector other{{number(), number(), number()}};
  project(settle(run), other);
  RC_ASSERT((point - projected).dot(other - projected) <= 1e-9 * (1 + point.squaredNorm()));
  RC_ASSERT(point.norm() > *run.radius || projected == point);
}

}  // namespace
}  // namespace dpbudget::fl
