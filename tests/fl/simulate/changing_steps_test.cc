// Noiseless runs whose steps change, against the same trajectories computed here with matrices of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/fl/verify/verify.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

using WeightMatrix = Eigen::MatrixXd;  // classes x (features, bias)

constexpr double lambda = 0.05;

// Of softmax regression over a client's records, with the regulariser.
WeightMatrix gradient(const FederatedData& data, std::size_t client, const WeightMatrix& weights) {
  WeightMatrix sum = WeightMatrix::Zero(3, 5);
  for (const std::uint32_t row : data.clients[client]) {
    Eigen::VectorXd x(5);
    x << data.train.features.row(row).transpose(), 1;
    Eigen::VectorXd p = (weights * x).array().exp();
    p /= p.sum();
    p(data.train.labels[row]) -= 1;
    sum += p * x.transpose();
  }
  return sum / static_cast<double>(data.clients[client].size()) + lambda * weights;
}

// Everybody, every record, three local steps in five rounds.
RunRequest whole_batches(const std::string& algorithm) {
  RunRequest run = small_run(algorithm);
  run.rounds = 5;
  run.user_rate = 1;
  run.record_rate = 1;
  if (find_algorithm(algorithm).steps == Steps::given) run.local_steps = 3;
  if (find_algorithm(algorithm).warm_starts) run.warm_start_rounds = 1;
  run.regularisation = lambda;
  return run;
}

void expect_equal(const Vector& found, const WeightMatrix& expected) {
  for (Eigen::Index c = 0; c < 3; ++c)
    for (Eigen::Index f = 0; f < 5; ++f) EXPECT_NEAR(found(f * 3 + c), expected(c, f), 1e-13);
}

// FedAvg by the book: `local(round, step)` and `server(round)` are its steps, all counted from 1.
WeightMatrix averaged(const FederatedData& data, const std::function<double(int, int)>& local,
                      const std::function<double(int)>& server) {
  WeightMatrix global = WeightMatrix::Zero(3, 5);
  for (int round = 1; round <= 5; ++round) {
    WeightMatrix mean = WeightMatrix::Zero(3, 5);
    for (std::size_t client = 0; client < data.clients.size(); ++client) {
      WeightMatrix own = global;
      for (int step = 1; step <= 3; ++step) own -= local(round, step) * gradient(data, client, own);
      mean += (own - global) / static_cast<double>(data.clients.size());
    }
    global += server(round) * mean;
  }
  return global;
}

TEST(ChangingSteps, OfFedAvgOverRounds) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("fedavg");
  run.options["step"] = 0.6;
  run.options["step_schedule"] = "inverse:4,2";
  run.options["server_step"] = 0.9;
  run.options["server_step_schedule"] = "inverse-sqrt";
  expect_equal(simulate(run, data).parameters, averaged(
                                                   data, [](int round, int) { return 0.6 / 3 * 4 / (round + 2); },
                                                   [](int round) { return 0.9 / std::sqrt(round); }));
}

TEST(ChangingSteps, OfNflOverLocalSteps) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("nfl");
  run.options["step"] = 0.6;
  run.options["step_schedule"] = "exponential:0.9";
  run.options["step_clock"] = "steps";
  expect_equal(simulate(run, data).parameters,
               averaged(
                   data, [](int round, int step) { return 0.6 * std::pow(0.9, 3 * (round - 1) + step - 1); },
                   [](int) { return 1; }));
}

TEST(ChangingSteps, OfNflByItsTheorem) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("nfl");
  run.options.erase("step");
  run.options["step_schedule"] = "theorem";
  run.options["smoothness"] = 1.0;
  expect_equal(simulate(run, data).parameters,
               averaged(
                   data, [](int round, int) { return 4 / (lambda * 3 * round + 16 * (1 + lambda) * 3); },
                   [](int) { return 1; }));
}

TEST(ChangingSteps, OfPriFedSyncByATableForEachStep) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("prifedsync");
  run.options["step"] = 0.5;
  run.options["step_schedule"] = "table:1,0.5,0.2;1,1,1;3,2,1;1,0.1,0.1;2,2,0.5";
  const std::vector<std::vector<double>> table = {{1, 0.5, 0.2}, {1, 1, 1}, {3, 2, 1}, {1, 0.1, 0.1}, {2, 2, 0.5}};
  expect_equal(
      simulate(run, data).parameters,
      averaged(
          data, [&](int round, int step) { return 0.5 * table.at(round - 1).at(step - 1); }, [](int) { return 1; }));
}

TEST(ChangingSteps, OfScaffoldAfterItsWarmStart) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("scaffold-warm");
  run.options["step"] = 0.6;
  run.options["step_schedule"] = "inverse:1,1";
  run.options["server_step_schedule"] = "exponential:0.8";
  WeightMatrix global = WeightMatrix::Zero(3, 5);
  std::vector<WeightMatrix> controls;
  for (std::size_t client = 0; client < 3; ++client) controls.push_back(gradient(data, client, global));
  for (int round = 1; round <= 5; ++round) {
    const WeightMatrix control = (controls[0] + controls[1] + controls[2]) / 3;
    WeightMatrix mean = WeightMatrix::Zero(3, 5);
    for (std::size_t client = 0; client < 3; ++client) {
      WeightMatrix own = global;
      WeightMatrix directions = WeightMatrix::Zero(3, 5);
      for (int step = 1; step <= 3; ++step) {
        const WeightMatrix direction = gradient(data, client, own);
        directions += direction / 3;
        own -= 0.6 / 3 / (round + 1) * (direction - controls[client] + control);
      }
      controls[client] = directions;
      mean += (own - global) / 3;
    }
    global += std::pow(0.8, round - 1) * mean;
  }
  expect_equal(simulate(run, data).parameters, global);
}

TEST(ChangingSteps, OfMinibatchSgd) {
  const FederatedData data = small_data({15, 7, 22});
  RunRequest run = whole_batches("mb-sgd");
  run.options["step"] = 0.6;
  run.options["step_schedule"] = "inverse-sqrt";
  WeightMatrix model = WeightMatrix::Zero(3, 5);
  WeightMatrix mean = WeightMatrix::Zero(3, 5);
  for (int round = 1; round <= 5; ++round) {
    WeightMatrix direction = WeightMatrix::Zero(3, 5);
    for (std::size_t client = 0; client < 3; ++client) direction += gradient(data, client, model) / 3;
    mean += model / 5;
    model -= 0.6 / std::sqrt(round) * direction;
  }
  expect_equal(simulate(run, data).parameters, mean);
}

// What was stepped is written down, and another step is found.
TEST(ChangingSteps, AreInTheLedger) {
  RunRequest run = whole_batches("dp-fedavg");
  run.batch_size = 10;
  run.options["step"] = 0.6;
  run.options["step_schedule"] = "inverse-sqrt";
  Ledger ledger = ledger_from(ledger_text(run, small_data({20, 10, 40})));
  // s is 1 / 2, 1 and 1 / 4.
  const std::vector<double> of_clients = {0.4, 0.2, 0.8};
  for (const Participation& participation : ledger.participations) {
    ASSERT_EQ(participation.step_sizes.size(), 1U);
    EXPECT_NEAR(participation.step_sizes[0],
                of_clients[participation.client] / std::sqrt(static_cast<double>(participation.round)), 1e-15);
  }
  const auto check_of = [&] {
    for (const Check& check : verify(ledger, 1e-5).checks)
      if (check.name == "step_sizes") return check;
    throw std::logic_error("no such check");
  };
  EXPECT_TRUE(check_of().passed);
  ledger.participations[4].step_sizes[0] *= 1.001;
  EXPECT_EQ(check_of().reason, "round 2, client 1: other steps than planned");
  ledger.participations[4].step_sizes.clear();
  EXPECT_FALSE(check_of().passed);
}

}  // namespace
}  // namespace dpbudget::fl
