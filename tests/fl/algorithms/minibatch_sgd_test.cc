#include "dpbudget/fl/algorithms/minibatch_sgd.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "dpbudget/fl/algorithms/shared_options.h"
#include "fl/algorithms/scripted_release.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// A round of two participants whose gradients are those of (x - target)^2 / 2.
void play(const Algorithm& algorithm, const fl::RunRequest& run, std::uint64_t number, const Vector& target,
          ServerState& state) {
  const SettledRun settled = settle(run);
  const Round round{settled,
                    Phase::training,
                    number,
                    settled.options<StepOption>().step,
                    static_cast<std::uint64_t>(target.size()),
                    8,
                    0};
  std::vector<Update> updates(2);
  for (Update& update : updates) {
    ScriptedRelease release(target, 0);
    ClientState client;
    algorithm.client(round, state, client, release, update);
    update.weight = 0.5;
  }
  algorithm.server(round, updates, state);
}

ServerState begun(const Algorithm& algorithm, const fl::RunRequest& run, const Vector& model) {
  ServerState state;
  state.model = model;
  algorithm.prepare(settle(run), state);
  return state;
}

fl::RunRequest quadratic(const std::string& algorithm, std::uint64_t rounds) {
  fl::RunRequest run = kind_of(algorithm);
  run.rounds = rounds;
  run.regularisation = 0;
  run.options["step"] = 0.5;
  return completed(run);
}

TEST(MinibatchSgd, HandsOutTheMeanOfItsModels) {
  const MinibatchSgd algorithm;
  const auto run = quadratic("mb-sgd", 3);
  ServerState state = begun(algorithm, run, Vector{{8}});
  for (std::uint64_t number = 1; number <= 3; ++number) play(algorithm, run, number, Vector{{0}}, state);
  EXPECT_EQ(state.model(0), 1);  // from 8, 4, 2
  EXPECT_NEAR(algorithm.output(state)(0), 14.0 / 3, 1e-15);
}

TEST(MinibatchSgd, StaysInTheBall) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 4);
  run.options["radius"] = 1.0;
  ServerState state = begun(algorithm, run, Vector{{3, 4}});
  EXPECT_LT((state.model - Vector{{0.6, 0.8}}).norm(), 1e-15);
  for (std::uint64_t number = 1; number <= 40; ++number) {
    play(algorithm, run, number, Vector{{0, 5}}, state);
    EXPECT_LE(state.model.norm(), 1 + 1e-15);
  }
  EXPECT_LT((state.model - Vector{{0, 1}}).norm(), 1e-6);
}

// h = smoothness + mu. R <= h / mu: steps 1 / h, weights (1 - mu / h)^-(r + 1).
TEST(MinibatchSgd, TakesStichsStepsInFewRounds) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 3);
  run.regularisation = 0.5;
  run.options.erase("step");
  run.options["smoothness"] = 1.5;
  ServerState state = begun(algorithm, run, Vector{{16}});
  double model = 16;
  double sum = 0;
  double mean = 0;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    play(algorithm, run, number, Vector{{0}}, state);
    const double weight = std::pow(0.75, -static_cast<double>(number));
    sum += weight;
    mean += weight * model;
    model -= 0.5 * (model + 0.5 * model);
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
  run.options.erase("step");
  run.options["smoothness"] = 0.5;
  ServerState state = begun(algorithm, run, Vector{{16}});
  double model = 16;
  double sum = 0;
  double mean = 0;
  for (std::uint64_t r = 0; r < 7; ++r) {
    play(algorithm, run, r + 1, Vector{{1}}, state);
    const double shifted = 4 + static_cast<double>(r) - 4;
    const double step = r < 4 ? 1 : 2 / (0.5 * shifted);
    if (r < 4) {
      EXPECT_NEAR(algorithm.output(state)(0), model, 1e-12);  // what would be handed out now
    } else {
      sum += shifted * shifted;
      mean += shifted * shifted * model;
    }
    model -= step * (model - 1 + 0.5 * model);
  }
  EXPECT_NEAR(state.model(0), model, 1e-12);
  EXPECT_NEAR(algorithm.output(state)(0), mean / sum, 1e-12);
}

// mu = h in one round, where the weights as printed are 0^-1.
TEST(MinibatchSgd, IsFiniteWhereTheConditionNumberIsOne) {
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", 1);
  run.regularisation = 1;
  run.options.erase("step");
  run.options["smoothness"] = 1e-20;
  ServerState state = begun(algorithm, run, Vector{{16}});
  play(algorithm, run, 1, Vector{{2}}, state);
  EXPECT_EQ(algorithm.output(state)(0), 16);  // that of w_0 alone
}

// However strongly the objective is regularised, beside its loss of smoothness 1, no step leads away from its optimum.
RC_GTEST_PROP(MinibatchSgd, ConvergesWhereRegularisationOutweighsTheLoss, ()) {
  const double mu = std::pow(10, static_cast<double>(*rc::gen::inRange(-10, 40)) / 10);
  const auto rounds = static_cast<std::uint64_t>(*rc::gen::inRange(1, 40));
  const MinibatchSgd algorithm;
  auto run = quadratic("mb-sgd", rounds);
  run.regularisation = mu;
  run.options.erase("step");
  run.options["smoothness"] = 1.0;
  const double optimum = 16 / (1 + mu);
  ServerState state = begun(algorithm, run, Vector{{2}});
  double distance = std::abs(2 - optimum);
  for (std::uint64_t number = 1; number <= rounds; ++number) {
    play(algorithm, run, number, Vector{{16}}, state);
    RC_ASSERT(std::abs(state.model(0) - optimum) <= distance + 1e-12);
    distance = std::abs(state.model(0) - optimum);
  }
}

}  // namespace
}  // namespace dpbudget::fl
