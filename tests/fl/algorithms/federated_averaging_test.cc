#include "dpbudget/fl/algorithms/federated_averaging.h"

#include <gtest/gtest.h>

#include "fl/algorithms/scripted_release.h"

namespace dpbudget::fl {
namespace {

const Round round_of_four{Phase::training, 10, 4, 0.1, 0.5, 0.02};

TEST(FederatedAveraging, ClientTakesKStepsAlongWhatWasReleased) {
  const ServerState server{Vector{{1, -2}}, Vector::Zero(2)};
  ClientState state{Vector::Zero(2)};
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

TEST(FederatedAveraging, ServerTakesTheMeanUpdate) {
  const std::vector<Update> updates = {{Vector{{1, 2}}, {}}, {Vector{{3, -6}}, {}}};
  ServerState state{Vector{{10, 10}}, Vector::Zero(2)};
  FederatedAveraging().server(round_of_four, updates, state);
  EXPECT_LT((state.model - Vector{{11, 9}}).norm(), 1e-15);
}

}  // namespace
}  // namespace dpbudget::fl
