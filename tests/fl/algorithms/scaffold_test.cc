#include "dpbudget/fl/algorithms/scaffold.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>

#include "fl/algorithms/scripted_release.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

constexpr double eta = 0.1;
constexpr double lambda = 0.02;

SettledRun scaffold_run_of_four() {
  RunRequest run = small_run("scaffold-warm");
  run.local_steps = 4;
  run.options["server_step"] = 0.5;
  run.regularisation = lambda;
  return settle(run);
}

const SettledRun run = scaffold_run_of_four();
const Round training{run, Phase::training, 1, eta, 2, 4, 0};
const Round warm_start{run, Phase::warm_start, 1, eta, 2, 4, 0};

TEST(Scaffold, ClientFollowsAlgorithmOneLineByLine) {
  const ServerState server{Vector{{1, -2}}, Vector{{0.3, 0.1}}, {}};
  ClientState state{Vector{{-0.2, 0.7}}, {}};
  const Vector c_i = state.control;
  ScriptedRelease release(Vector{{0.5, 3}}, 0.01);
  Update update;
  Scaffold().client(training, server, state, release, update);

  ASSERT_EQ(release.given.size(), 4u);
  Vector y = server.model;
  Vector mean = Vector::Zero(2);
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((release.asked[k] - y).norm(), 1e-15);
    const Vector noisy = release.given[k] + lambda * y;
    mean += noisy / 4;
    y = y - eta * (noisy - c_i + server.control);
  }
  EXPECT_LT((update.model - (y - server.model)).norm(), 1e-14);
  // Both forms of the paper's control variate.
  EXPECT_LT((state.control - mean).norm(), 1e-14);
  EXPECT_LT((state.control - (c_i - server.control + (server.model - y) / (4 * eta))).norm(), 1e-14);
  EXPECT_LT((update.control - (state.control - c_i)).norm(), 1e-14);
}

TEST(Scaffold, WarmStartEstimatesTheGradientWhereTheModelStands) {
  const ServerState server{Vector{{1, -2}}, Vector{{0.3, 0.1}}, {}};
  ClientState state{Vector{{-0.2, 0.7}}, {}};
  ScriptedRelease release(Vector{{0.5, 3}}, 0);
  Update update;
  Scaffold().client(warm_start, server, state, release, update);
  ASSERT_EQ(release.asked.size(), 4u);
  for (const Vector& at : release.asked) EXPECT_EQ(at, server.model);
  EXPECT_EQ(update.model, Vector::Zero(2));
  EXPECT_LT((state.control - (server.model - Vector{{0.5, 3}} + lambda * server.model)).norm(), 1e-15);
}

// From zero, with clients of any shares drawn in any way for any number of rounds of either phase.
RC_GTEST_PROP(Scaffold, ServerControlIsTheMeanOfTheClientsControlsByTheirShares, ()) {
  const Scaffold scaffold;
  Vector shares(5);
  for (double& share : shares) share = *rc::gen::inRange(1, 20);
  shares /= shares.sum();
  std::vector<ClientState> clients(5);
  ServerState server{Vector::Zero(3), {}, {}};
  scaffold.prepare(run, server);
  const auto rounds = *rc::gen::inRange(1, 12);
  for (int t = 0; t < rounds; ++t) {
    const auto chosen = *rc::gen::inRange(1U, 32U);
    std::vector<std::size_t> participants;
    for (std::size_t client = 0; client < 5; ++client)
      if ((chosen >> client & 1U) != 0) participants.push_back(client);
    const Round& round = *rc::gen::arbitrary<bool>() ? training : warm_start;
    std::vector<Update> updates(participants.size());
    for (std::size_t i = 0; i < participants.size(); ++i) {
      ScriptedRelease release(Vector::Constant(3, 0.3 * static_cast<double>(participants[i])), 0.1 * t);
      scaffold.client(round, server, clients[participants[i]], release, updates[i]);
      updates[i].weight = 1 / static_cast<double>(updates.size());
      updates[i].share = shares(static_cast<Eigen::Index>(participants[i]));
    }
    if (!updates.empty()) scaffold.server(round, updates, server);
    Vector mean = Vector::Zero(3);
    for (std::size_t i = 0; i < 5; ++i)
      if (clients[i].control.size() > 0) mean += shares(static_cast<Eigen::Index>(i)) * clients[i].control;
    RC_ASSERT((server.control - mean).norm() < 1e-12);
  }
}

TEST(Scaffold, ServerWeighsModelsAndAveragesControls) {
  const std::vector<Update> updates = {{Vector{{1, 2}}, Vector{{1, 1}}, 0.5, 0.25},
                                       {Vector{{3, -6}}, Vector{{4, 9}}, 0.25, 0.125}};
  ServerState state{Vector{{10, 10}}, Vector{{1, 1}}, {}};
  Scaffold().server(training, updates, state);
  EXPECT_LT((state.model - Vector{{10.625, 9.75}}).norm(), 1e-15);
  EXPECT_LT((state.control - Vector{{1.75, 2.375}}).norm(), 1e-15);
}

// Least squares of three clients who differ in size and in what they measure. What the weights say is minimised, as the
// normal equations have it, is where the model ends, however participants are drawn.
TEST(Scaffold, EndsAtTheOptimumOfTheWeightedObjective) {
  const std::vector<std::uint32_t> sizes = {4, 12, 40};
  FederatedData data = small_data(sizes);
  for (Dataset* set : {&data.train, &data.test}) {
    set->classes = 0;
    set->labels.clear();
    for (Eigen::Index i = 0; i < set->features.rows(); ++i)
      set->targets.push_back(set->features(i, 0) * (i < 4 ? 5 : i < 16 ? -3 : 1) + (i < 4 ? 2 : -1));
  }
  Matrix design(56, 5);
  design << data.train.features, Vector::Ones(56);
  for (const Weights weights : {Weights::equal, Weights::records}) {
    Matrix normal = lambda * Matrix::Identity(5, 5);
    Vector right = Vector::Zero(5);
    for (std::size_t client = 0; client < 3; ++client)
      for (const std::uint32_t row : data.clients[client]) {
        const double weight = weights == Weights::records ? 1.0 / 56 : 1.0 / 3 / sizes[client];
        normal += weight * design.row(row).transpose() * design.row(row);
        right += weight * data.train.targets[row] * design.row(row).transpose();
      }
    const Vector optimum = normal.ldlt().solve(right);
    for (const ClientSampling sampling :
         {ClientSampling::uniform, ClientSampling::poisson, ClientSampling::md, ClientSampling::fedavg}) {
      fl::RunRequest trained = small_run("scaffold");
      trained.model = "linear";
      trained.weights = weights;
      trained.client_sampling = sampling;
      trained.user_rate = 0.7;
      trained.record_rate = 1;
      trained.regularisation = lambda;
      trained.options["step"] = 0.1;
      trained.rounds = 2000;
      trained.evaluate_every = 2000;
      EXPECT_LT((simulate(trained, data).parameters - optimum).norm(), 1e-9) << to_string(sampling);
    }
  }
}

}  // namespace
}  // namespace dpbudget::fl
