#include "dpbudget/fl/algorithms/minibatch_sgd.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "dpbudget/fl/algorithms/local_sgd.h"
#include "fl/algorithms/scripted_release.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// A round of two participants whose gradients are those of (x - target)^2 / 2.
void play(const Algorithm& algorithm, const fl::Run& run, std::uint64_t number, const Vector& target,
          ServerState& state) {
  const Round round{run, Phase::training, number, run.initial_step, static_cast<std::uint64_t>(target.size()), 8, 0};
  std::vector<Update> updates(2);
  for (Update& update : updates) {
    ScriptedRelease release(target, 0);
    ClientState client;
    algorithm.client(round, state, client, release, update);
    update.weight = 0.5;
  }
  algorithm.server(round, updates, state);
}

ServerState begun(const Algorithm& algorithm, const fl::Run& run, const Vector& model) {
  ServerState state;
  state.model = model;
  algorithm.prepare(run, state);
  return state;
}

fl::Run quadratic(const std::string& algorithm, std::uint64_t rounds) {
  fl::Run run = kind_of(algorithm);
  run.rounds = rounds;
  run.regularisation = 0;
  run.initial_step = 0.5;
  return completed(run);
}

TEST(MinibatchSgd, HandsOutTheMeanOfItsModels) {
  const MinibatchSgd algorithm;
  const auto run = quadratic("mb-sgd", 3);
  ServerState state = begun(algorithm, run, Vector{{8}});
  for (std::uint64_t number = 1; number <= 3; ++number) play(algorithm, run, number, Vector{{0}}, state);
  EXPECT_EQ(state.model(0), 1);  // 4, 2, 1
  EXPECT_NEAR(algorithm.output(state)(0), 7.0 / 3, 1e-15);
}

TEST(MinibatchSgd, StaysInTheBall) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 4);
  run.radius = 1;
  ServerState state = begun(algorithm, run, Vector{{3, 4}});
  EXPECT_LT((state.model - Vector{{0.6, 0.8}}).norm(), 1e-15);
  for (std::uint64_t number = 1; number <= 40; ++number) {
    play(algorithm, run, number, Vector{{0, 5}}, state);
    EXPECT_LE(state.model.norm(), 1 + 1e-15);
  }
  EXPECT_LT((state.model - Vector{{0, 1}}).norm(), 1e-6);
}

RC_GTEST_PROP(Projection, IsTheNearestPointOfTheBall, ()) {
  const auto number = [] { return static_cast<double>(*rc::gen::inRange(-1000000, 1000000)) * 1e-5; };
  fl::Run run;
  run.radius = 1e-3 + std::abs(number());
  const Vector point{{number(), number(), number()}};
  Vector projected = point;
  project(run, projected);
  RC_ASSERT(projected.norm() <= *run.radius * (1 + 1e-15));
  Vector again = projected;
  project(run, again);
  RC_ASSERT((again - projected).norm() <= 1e-15 * projected.norm());
  // The obtuse angle that a projection on a convex set makes with any of its points.
  Vector other{{number(), number(), number()}};
  project(run, other);
  RC_ASSERT((point - projected).dot(other - projected) <= 1e-9 * (1 + point.squaredNorm()));
  RC_ASSERT(point.norm() > *run.radius || projected == point);
}

// R <= h / mu: steps 1 / h, weights (1 - mu / h)^-(r + 1).
TEST(MinibatchSgd, TakesStichsStepsInFewRounds) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 3);
  run.regularisation = 0.5;
  run.smoothness = 2;
  ServerState state = begun(algorithm, run, Vector{{16}});
  double model = 16;
  double sum = 0;
  double mean = 0;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    play(algorithm, run, number, Vector{{0}}, state);
    model -= 0.5 * (model + 0.5 * model);
    const double weight = std::pow(0.75, -static_cast<double>(number));
    sum += weight;
    mean += weight * model;
  }
  EXPECT_NEAR(state.model(0), model, 1e-15);
  EXPECT_NEAR(algorithm.output(state)(0), mean / sum, 1e-14);
}

// R > h / mu: half of the rounds at 1 / h without weight, then 2 / (mu (2 h / mu + r - r0)) with the square of that
// bracket.
TEST(MinibatchSgd, TakesStichsStepsInManyRounds) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 7);
  run.regularisation = 0.5;
  run.smoothness = 1;
  ServerState state = begun(algorithm, run, Vector{{16}});
  double model = 16;
  double sum = 0;
  double mean = 0;
  for (std::uint64_t r = 0; r < 7; ++r) {
    play(algorithm, run, r + 1, Vector{{1}}, state);
    const double shifted = 4 + static_cast<double>(r) - 4;
    const double step = r < 4 ? 1 : 2 / (0.5 * shifted);
    model -= step * (model - 1 + 0.5 * model);
    if (r < 4) {
      EXPECT_NEAR(algorithm.output(state)(0), model, 1e-12);  // what would be handed out now
    } else {
      sum += shifted * shifted;
      mean += shifted * shifted * model;
    }
  }
  EXPECT_NEAR(state.model(0), model, 1e-12);
  EXPECT_NEAR(algorithm.output(state)(0), mean / sum, 1e-12);
}

// mu = h in one round, where the weights as printed are 0^-1.
TEST(MinibatchSgd, IsFiniteWhereTheConditionNumberIsOne) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 1);
  run.regularisation = 1;
  run.smoothness = 1;
  ServerState state = begun(algorithm, run, Vector{{16}});
  play(algorithm, run, 1, Vector{{2}}, state);
  EXPECT_EQ(algorithm.output(state)(0), state.model(0));
}

TEST(LocalSgd, ProjectsEveryLocalModel) {
  auto run = kind_of("local-sgd");
  run.radius = 1;
  run.regularisation = 0;
  run = completed(run);
  EXPECT_EQ(batch_of(run, 100), 1U);
  const Round round{run, Phase::training, 1, 0.5, 2, 1, 0};
  ServerState server;
  server.model = Vector{{0, 1}};
  ScriptedRelease release(Vector{{8, 1}}, 0);
  ClientState client;
  Update update;
  LocalSgd().client(round, server, client, release, update);
  // (4, 1) / sqrt(17), then half the way from there to (8, 1), on the sphere again.
  const Vector first = Vector{{4, 1}} / std::sqrt(17.0);
  ASSERT_EQ(release.asked.size(), 2U);
  EXPECT_LT((release.asked[1] - first).norm(), 1e-15);
  const Vector second = (first + Vector{{8, 1}}) / 2;
  EXPECT_LT((update.model - (second / second.norm() - server.model)).norm(), 1e-15);
}

}  // namespace
}  // namespace dpbudget::fl
