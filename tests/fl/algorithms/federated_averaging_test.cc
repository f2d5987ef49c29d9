#include "dpbudget/fl/algorithms/federated_averaging.h"

#include <gtest/gtest.h>

#include "fl/algorithms/scripted_release.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

Run run_of_four() {
  Run run = small_run("fedavg");
  run.local_steps = 4;
  run.server_step = 0.5;
  run.regularisation = 0.02;
  return completed(run);
}

const Run run = run_of_four();
const Round round_of_four{run, Phase::training, 1, 0.1, 2, 4, 0};

TEST(FederatedAveraging, ClientTakesKStepsAlongWhatWasReleased) {
  const ServerState server{Vector{{1, -2}}, {}, {}};
  ClientState state;
  ScriptedRelease release(Vector{{0.5, 3}}, 0.01);
  Update update;
  FederatedAveraging().client(round_of_four, server, state, release, update);

  ASSERT_EQ(release.given.size(), 4u);
  Vector y = server.model;
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((release.asked[k] - y).norm(), 1e-15);
    y = (1 - 0.1 * 0.02) * y - 0.1 * release.given[k];
  }
  EXPECT_LT((update.model - (y - server.model)).norm(), 1e-15);
}

TEST(FederatedAveraging, ServerTakesTheWeightedSumOfUpdates) {
  const std::vector<Update> updates = {{Vector{{1, 2}}, {}, 0.5}, {Vector{{3, -6}}, {}, 0.25}};
  ServerState state{Vector{{10, 10}}, {}, {}};
  FederatedAveraging().server(round_of_four, updates, state);
  EXPECT_LT((weighted_sum(updates) - Vector{{1.25, -0.5}}).norm(), 1e-15);
  EXPECT_LT((state.model - Vector{{10.625, 9.75}}).norm(), 1e-15);
}

}  // namespace
}  // namespace dpbudget::fl
