#include "dpbudget/fl/account/claim.h"

#include <gtest/gtest.h>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

constexpr Sizes eight{.clients = 8, .records = 32};
constexpr double delta = 1e-5;

TEST(ClaimedRounds, EndWhereANoiseTableDoes) {
  fl::RunRequest run = kind_of("dp-fedavg");
  run.schedule = "table:60;50;40";
  run.rounds = 2;
  const auto rounds = [&](double epsilon) {
    return claimed_rounds(run, eight, Adversary::server, Basis::proven, epsilon, delta);
  };
  EXPECT_EQ(rounds(1e3), 3u);
  EXPECT_EQ(rounds(claimed_epsilon(run, eight, Adversary::server, Basis::proven, delta).upper), 2u);
  EXPECT_EQ(rounds(1e-6), 0u);
}

TEST(ClaimedRounds, CountABatchOfEachRoundOnce) {
  fl::RunRequest run = kind_of("dp-mb-sgd");
  run.schedule = "table:6;5;4";
  run.batches = Batches::disjoint;
  run.rounds = 2;
  EXPECT_EQ(claimed_rounds(run, eight, Adversary::server, Basis::proven, 1e3, delta), 3u);
}

}  // namespace
}  // namespace dpbudget::fl
