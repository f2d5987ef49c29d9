#include "dpbudget/fl/algorithms/prifedsync.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpbudget/fl/algorithms/local_optimiser.h"
#include "fl/algorithms/scripted_release.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

SettledRun with(Optimiser optimiser, double interpolation) {
  fl::RunRequest run = kind_of("prifedsync");
  run.regularisation = 0;
  run.options["optimiser"] = std::string(to_string(optimiser));
  run.options["interpolation"] = interpolation;
  if (optimiser != Optimiser::sgd) run.options["momentum"] = 0.5;
  if (optimiser == Optimiser::adam) {
    run.options["second_momentum"] = 0.75;
    run.options["adaptivity"] = 0.125;
  }
  return settle(run);
}

TEST(LocalOptimiser, OfSgdStepsAlongTheDirection) {
  const auto run = with(Optimiser::sgd, 1);
  LocalOptimiser optimiser(run.options<LocalOptimiserOptions>(), 1);
  Vector model{{1}};
  optimiser.step(0.25, Vector{{2}}, model);
  optimiser.step(0.25, Vector{{-4}}, model);
  EXPECT_EQ(model(0), 1.5);
}

TEST(LocalOptimiser, OfMomentumAddsUpDirections) {
  const auto run = with(Optimiser::momentum, 1);
  LocalOptimiser optimiser(run.options<LocalOptimiserOptions>(), 1);
  Vector model{{1}};
  optimiser.step(0.25, Vector{{2}}, model);  // m = 2
  EXPECT_EQ(model(0), 0.5);
  optimiser.step(0.25, Vector{{-4}}, model);  // m = -3
  EXPECT_EQ(model(0), 1.25);
  optimiser.step(0.25, Vector{{0}}, model);  // m = -1.5
  EXPECT_EQ(model(0), 1.625);
}

TEST(LocalOptimiser, OfAdamTakesTheBiasOff) {
  const auto run = with(Optimiser::adam, 1);
  LocalOptimiser optimiser(run.options<LocalOptimiserOptions>(), 1);
  Vector model{{1}};
  optimiser.step(0.25, Vector{{2}}, model);  // m = 1, v = 1; without bias 2 and 4
  EXPECT_NEAR(model(0), 1 - 0.25 * 2 / 2.125, 1e-15);
  const double before = model(0);
  optimiser.step(0.25, Vector{{-4}}, model);  // m = -1.5, v = 4.75; without bias -2 and 4.75 / (1 - 0.5625)
  EXPECT_NEAR(model(0), before + 0.25 * 2 / (std::sqrt(4.75 / 0.4375) + 0.125), 1e-15);
}

struct Participated {
  ClientState client;
  Update update;
  std::vector<Vector> asked;
};

Participated participate(const SettledRun& run, const Vector& global, ClientState client) {
  const Round round{run, Phase::training, 1, 0.5, 2, 8, 0};
  ServerState server;
  server.model = global;
  ScriptedRelease release(Vector{{0, 4}}, 0);
  Update update;
  PriFedSync().client(round, server, client, release, update);
  return {std::move(client), std::move(update), release.asked};
}

TEST(PriFedSync, StartsFromTheGlobalModelAtFirst) {
  const Participated done = participate(with(Optimiser::sgd, 0.25), Vector{{4, 0}}, {});
  EXPECT_EQ(done.asked.front(), (Vector{{4, 0}}));
  // Each step halves the distance to (0, 4).
  EXPECT_EQ(done.client.model, (Vector{{1, 3}}));
  EXPECT_EQ(done.update.model, (Vector{{-3, 3}}));
}

TEST(PriFedSync, MixesItsOwnModelWithTheGlobalOne) {
  const ClientState own{{}, Vector{{8, 4}}};
  const Vector global{{4, 0}};
  for (const double alpha : {0.0, 0.25, 1.0}) {
    const Participated done = participate(with(Optimiser::sgd, alpha), global, own);
    const Vector helper = (1 - alpha) * own.model + alpha * global;
    EXPECT_EQ(done.asked.front(), helper) << alpha;
    EXPECT_EQ(done.update.model, done.client.model - global) << alpha;
  }
}

// At alpha = 1 nothing personal is left: the runs of federated averaging with an unscaled step.
TEST(PriFedSync, IsFederatedAveragingWithTheGlobalModelAlone) {
  auto averaging = kind_of("nfl");
  auto synchronising = kind_of("prifedsync");
  const FederatedData data = eight_clients();
  EXPECT_LT((simulate(averaging, data).parameters - simulate(synchronising, data).parameters).norm(), 1e-12);
  synchronising.options["interpolation"] = 0.5;
  EXPECT_GT((simulate(averaging, data).parameters - simulate(synchronising, data).parameters).norm(), 1e-4);
}

TEST(PriFedSync, ScoresEachClientsOwnModel) {
  auto run = kind_of("prifedsync");
  run.options["interpolation"] = 0.0;
  run.rounds = 20;
  FederatedData data = eight_clients();
  // What is class 0 to one client is class 1 to another: no global model serves both.
  for (std::size_t client = 0; client < 8; ++client) {
    const auto label = static_cast<std::int32_t>(client % 2);
    for (const std::uint32_t row : data.clients[client]) data.train.labels[row] = label;
    for (const std::uint32_t row : data.test_clients[client]) data.test.labels[row] = label;
  }
  const Result result = simulate(run, data);
  ASSERT_TRUE(result.last.personal_score);
  EXPECT_EQ(*result.last.personal_score, 1);
  EXPECT_LT(result.last.test_score, 0.8);
  // Nobody has a model of its own before the first round.
  run.evaluate_every = 20;
  EXPECT_TRUE(result.history.front().personal_score);
  data.test_clients.clear();
  EXPECT_FALSE(simulate(run, data).last.personal_score);
}

}  // namespace
}  // namespace dpbudget::fl
