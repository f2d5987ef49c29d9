#include "dpbudget/fl/algorithms/scaffold.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fl/algorithms/scripted_release.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

constexpr double eta = 0.1;
constexpr double lambda = 0.02;

Run run_of_four() {
  Run run = small_run("scaffold-warm");
  run.local_steps = 4;
  run.server_step = 0.5;
  run.regularisation = lambda;
  return completed(run);
}

const Run run = run_of_four();
const Round training{run, Phase::training, 1, 5, eta, 2, 4, 0};
const Round warm_start{run, Phase::warm_start, 1, 5, eta, 2, 4, 0};

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

// From zero, with clients drawn in any way for any number of rounds of either phase.
RC_GTEST_PROP(Scaffold, ServerControlIsTheMeanOfTheClientsControls, ()) {
  const Scaffold scaffold;
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
    }
    for (Update& update : updates) update.weight = 1 / static_cast<double>(updates.size());
    if (!updates.empty()) scaffold.server(round, updates, server);
    Vector mean = Vector::Zero(3);
    for (const ClientState& client : clients)
      if (client.control.size() > 0) mean += client.control / 5;
    RC_ASSERT((server.control - mean).norm() < 1e-12);
  }
}

TEST(Scaffold, ServerWeighsModelsAndAveragesControls) {
  const std::vector<Update> updates = {{Vector{{1, 2}}, Vector{{1, 1}}, 0.5}, {Vector{{3, -6}}, Vector{{4, 9}}, 0.25}};
  ServerState state{Vector{{10, 10}}, Vector{{1, 1}}, {}};
  Scaffold().server(training, updates, state);
  EXPECT_LT((state.model - Vector{{10.625, 9.75}}).norm(), 1e-15);
  EXPECT_LT((state.control - Vector{{2, 3}}).norm(), 1e-15);
}

}  // namespace
}  // namespace dpbudget::fl
