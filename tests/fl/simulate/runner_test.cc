#include "dpbudget/fl/simulate/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "dpbudget/fl/data/synthetic.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

struct Outcome {
  Result result;
  std::string ledger;
};

Outcome outcome(const RunRequest& run, const FederatedData& data) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  Result result = simulate_into(writer, run, data);
  return {std::move(result), file.text()};
}

TEST(Simulate, GivesTheSameBitsOnAnyNumberOfThreads) {
  const FederatedData differing = small_data({20, 31, 17, 40, 20, 20, 25, 60, 20, 21, 33, 28});
  for (const AlgorithmTraits& entry : all_algorithms()) {
    SCOPED_TRACE(entry.name);
    const FederatedData& data = differing;
    auto run = small_run(std::string(entry.name));
    run.user_rate = 0.75;
    const Outcome reference = outcome(run, data);
    for (const unsigned threads : {2u, 16u}) {
      run.threads = threads;
      const Outcome other = outcome(run, data);
      EXPECT_TRUE(same_bits(reference.result.parameters, other.result.parameters));
      EXPECT_EQ(reference.result.last.train_loss, other.result.last.train_loss);
      EXPECT_EQ(reference.ledger, other.ledger);
    }
    run.seed += 1;
    EXPECT_FALSE(same_bits(reference.result.parameters, outcome(run, data).result.parameters));
  }
}

// With everybody, every record and one step, a round is one gradient step on the mean of the clients' objectives,
// computed here record by record.
TEST(Simulate, FedAvgOfFullBatchesIsGradientDescent) {
  const FederatedData data = small_data({15, 15, 15});
  auto run = small_run("fedavg");
  run.rounds = 20;
  run.local_steps = 1;
  run.user_rate = 1;
  run.record_rate = 1;
  run.options["step"] = 0.7;
  run.options["server_step"] = 0.9;
  run.regularisation = 0.05;
  const Result result = simulate(run, data);

  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(3, 5);  // classes x (features, bias)
  double loss = 0;
  const auto gradient = [&] {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 5);
    loss = 0;
    for (Eigen::Index row = 0; row < 45; ++row) {
      Eigen::VectorXd x(5);
      x << data.train.features.row(row).transpose(), 1;
      Eigen::VectorXd p = (weights * x).array().exp();
      p /= p.sum();
      const auto label = data.train.labels[static_cast<std::size_t>(row)];
      loss -= std::log(p(label)) / 45;
      p(label) -= 1;
      sum += p * x.transpose() / 45;
    }
    return Eigen::MatrixXd(sum + 0.05 * weights);
  };
  for (int round = 0; round < 20; ++round) weights -= 0.7 * 0.9 * gradient();
  gradient();
  for (Eigen::Index c = 0; c < 3; ++c)
    for (Eigen::Index f = 0; f < 5; ++f) EXPECT_NEAR(result.parameters(f * 3 + c), weights(c, f), 1e-12);
  EXPECT_NEAR(result.last.train_loss, loss, 1e-12);
  EXPECT_NEAR(result.history.front().train_loss, std::log(3), 1e-12);
}

// Clients of equal weight: fl/convergence/proofs.md, 5.5.
TEST(Simulate, DpnflOfEqualClientsIsDpFedAvg) {
  const FederatedData data = ten_clients();
  auto averaging = small_run("dp-fedavg");
  averaging.options["step"] = 0.06;
  averaging.client_sampling = ClientSampling::uniform;
  auto nfl = small_run("dpnfl");
  nfl.options["step"] = 0.06 / (averaging.record_rate * static_cast<double>(averaging.local_steps.value()));
  nfl.client_sampling = ClientSampling::uniform;
  const Vector expected = simulate(averaging, data).parameters;
  const Vector found = simulate(nfl, data).parameters;
  EXPECT_GT(expected.norm(), 1e-3);
  EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm());
}

// All records are one record, x = 0 of class 0, so every batch has the same gradient: p - e_0 in the biases.
TEST(Simulate, TakesLocalStepsOfTheInitialStepOverRateTimesSteps) {
  FederatedData data = small_data({8, 8});
  data.train.features.setZero();
  for (std::int32_t& label : data.train.labels) label = 0;
  auto run = small_run("fedavg");
  run.rounds = 2;
  run.local_steps = 4;
  run.user_rate = 0.5;
  run.record_rate = 0.25;
  run.options["step"] = 0.6;
  run.options["server_step"] = 0.5;
  run.regularisation = 0.1;
  const Result result = simulate(run, data);

  Eigen::Vector3d biases = Eigen::Vector3d::Zero();
  for (int round = 0; round < 2; ++round) {
    Eigen::Vector3d y = biases;
    for (int step = 0; step < 4; ++step) {
      Eigen::Vector3d p = y.array().exp();
      p /= p.sum();
      p(0) -= 1;
      y -= 0.6 / (0.25 * 4) * (p + 0.1 * y);
    }
    biases += 0.5 * (y - biases);
  }
  EXPECT_LT((result.parameters.tail(3) - biases).norm(), 1e-14);
  EXPECT_EQ(result.parameters.head(12), Vector::Zero(12));
}

// One step on one record, x = 0 of class 0, in every client: the gradient of the biases is (-2, 1, 1) / 3. A batch of 6
// is all of 4 records, s = 1, and 6 of 8, s = 3 / 4, so that the mean step is 0.6 (1 + 4 / 3) / 2 = 0.7.
TEST(Simulate, StepsByWhatTheBatchIsOfEachClientsOwnRecords) {
  for (const std::vector<std::uint32_t>& sizes : {std::vector<std::uint32_t>{4, 8}, {8, 4}})
    for (const std::string algorithm : {"fedavg", "scaffold"}) {
      SCOPED_TRACE(algorithm);
      FederatedData data = small_data(sizes);
      data.train.features.setZero();
      for (std::int32_t& label : data.train.labels) label = 0;
      auto run = small_run(algorithm);
      run.rounds = 1;
      run.local_steps = 1;
      run.user_rate = 1;
      run.batch_size = 6;
      run.options["step"] = 0.6;
      run.regularisation = 0;
      const Result result = simulate(run, data);
      EXPECT_LT((result.parameters.tail(3) - 0.7 * Eigen::Vector3d(2, -1, -1) / 3).norm(), 1e-15);
      // More than anybody holds is as much as everybody holds.
      run.batch_size = 1000;
      const Vector all = simulate(run, data).parameters;
      EXPECT_LT((all.tail(3) - 0.6 * Eigen::Vector3d(2, -1, -1) / 3).norm(), 1e-15);
    }
}

// Vanishing noise and a clipping norm that no gradient reaches leave the plain algorithm; the batches are the same.
TEST(Simulate, PrivateVariantsTendToThePlainOnes) {
  for (const std::string plain : {"fedavg", "fedsgd", "scaffold", "scaffold-warm"}) {
    SCOPED_TRACE(plain);
    auto noisy = small_run("dp-" + plain);
    noisy.clip_norm = 100;
    noisy.noise_multiplier = 1e-6;
    const Result a = simulate(small_run(plain), ten_clients());
    const Result b = simulate(noisy, ten_clients());
    EXPECT_LT((a.parameters - b.parameters).norm(), 1e-3);
    EXPECT_GT(a.parameters.norm(), 0.01);
  }
}

// Control variates and local drift are what separates the algorithms: with K = 1 and zero variates they agree at first.
TEST(Simulate, ScaffoldStartsAsFedAvgAndThenDeparts) {
  auto run = small_run("fedavg");
  run.rounds = 1;
  const Vector averaged = simulate(run, ten_clients()).parameters;
  run.algorithm = "scaffold";
  EXPECT_LT((averaged - simulate(run, ten_clients()).parameters).norm(), 1e-13);
  run.rounds = 3;
  const Vector departed = simulate(run, ten_clients()).parameters;
  run.algorithm = "fedavg";
  EXPECT_GT((departed - simulate(run, ten_clients()).parameters).norm(), 1e-6);
}

TEST(Simulate, WarmStartMovesNoModel) {
  auto run = small_run("dp-scaffold-warm");
  run.evaluate_every = 1;
  const Result result = simulate(run, ten_clients());
  ASSERT_EQ(result.history.size(), 11u);
  EXPECT_EQ(result.rounds, 10u);
  for (int round = 1; round <= 4; ++round) EXPECT_EQ(result.history[round].train_loss, result.history[0].train_loss);
  EXPECT_NE(result.history[5].train_loss, result.history[0].train_loss);
}

TEST(Simulate, LearnsWhatThereIsToLearn) {
  const FederatedData data = synthetic({.users = 10, .records_per_user = 200, .seed = 4});
  for (const std::string algorithm : {"fedavg", "scaffold", "scaffold-warm"}) {
    auto run = small_run(algorithm);
    run.rounds = 60;
    run.options["step"] = 0.02;
    const Result result = simulate(run, data);
    EXPECT_LT(result.last.train_loss, 0.8 * result.history.front().train_loss) << algorithm;
    EXPECT_GT(result.last.test_score, 0.3) << algorithm;
  }
}

TEST(Simulate, DrawsUsersAfreshAndUniformly) {
  auto run = small_run("dp-fedavg");
  run.rounds = 600;
  run.local_steps = 1;
  run.evaluate_every = 600;
  run.options["step"] = 1e-3;
  const Ledger ledger = ledger_from(outcome(run, ten_clients()).ledger);
  std::map<std::uint64_t, int> counts;
  std::set<std::vector<std::uint64_t>> sets;
  for (const RoundEntry& round : ledger.rounds) {
    EXPECT_EQ(round.participants.clients.size(), 3u);
    sets.insert(round.participants.clients);
    for (const std::uint64_t client : round.participants.clients) ++counts[client];
  }
  EXPECT_GT(sets.size(), 100u);  // of 120
  // 600 rounds at rate 0.3: 180 with standard deviation 11.2; 5.5 deviations for each of ten are below 4e-7 together.
  for (const auto& [client, count] : counts) EXPECT_NEAR(count, 180, 62) << client;
}

TEST(Simulate, TellsTheWatchWhatItWasAskedFor) {
  auto run = small_run("fedavg");
  run.rounds = 7;
  run.evaluate_every = 3;
  std::vector<std::uint64_t> rounds;
  const Result result = simulate(run, ten_clients(), {.watch = [&](const Metrics& metrics) {
                                   rounds.push_back(metrics.round);
                                   EXPECT_TRUE(0 <= metrics.test_score && metrics.test_score <= 1);
                                 }});
  EXPECT_EQ(rounds, (std::vector<std::uint64_t>{0, 3, 6, 7}));
  EXPECT_EQ(result.last.round, 7u);
}

TEST(Simulate, StopsWhenTheModelDivergesAndKeepsTheLedger) {
  for (const AlgorithmTraits& entry : all_algorithms()) {
    SCOPED_TRACE(entry.name);
    auto run = small_run(std::string(entry.name));
    if (entry.takes("step")) run.options["step"] = 1e200;
    // Accelerated steps are held back by curvature, as far as there is any.
    if (entry.name.ends_with("ac-sa")) {
      run.options["smoothness"] = 1e-310;
      run.regularisation = 1e-310;
    }
    if (run.batches == Batches::fresh) run.rounds = 50;
    run.evaluate_every = 50;
    const TemporaryFile file;
    LedgerWriter writer(file.path());
    std::string message;
    try {
      simulate_into(writer, run, ten_clients());
    } catch (const Diverged& error) {
      message = error.what();
    }
    EXPECT_TRUE(message.starts_with("round ")) << message;
    const Ledger ledger = read_ledger(file.path());
    EXPECT_FALSE(ledger.end);
    EXPECT_FALSE(ledger.torn);
    EXPECT_EQ(ledger.participations.size(), 3 * ledger.rounds.size());
  }
}

// A ledger has no number for it.
TEST(Simulate, StopsWhereTheNoiseHasNoSumOfSquares) {
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = 1e200;
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  EXPECT_THROW(simulate_into(writer, run, ten_clients()), Diverged);
  EXPECT_TRUE(read_ledger(file.path()).rounds.empty());
}

TEST(Simulate, NamesTheClientWhoseDataIsNotFinite) {
  FederatedData data = ten_clients();
  for (const std::uint32_t row : data.clients[6]) data.train.features(row, 1) = std::nan("");
  auto run = small_run("dp-scaffold");
  run.user_rate = 1;
  run.evaluate_every = 100;
  try {
    simulate(run, data);
    ADD_FAILURE() << "not stopped";
  } catch (const Diverged& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("round 1, client 6: ") || message.starts_with("round 0: ")) << message;
  }
}

TEST(Simulate, RefusesABadRunBeforeItWritesAnything) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  auto run = small_run("dp-fedavg");
  run.clip_norm = std::nan("");
  EXPECT_REFUSED("clip", simulate_into(writer, run, ten_clients()));
  EXPECT_EQ(file.text(), "");
}

}  // namespace
}  // namespace dpbudget::fl
