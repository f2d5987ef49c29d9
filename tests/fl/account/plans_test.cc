#include "dpbudget/fl/account/plans.h"

#include <gtest/gtest.h>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(Plan, IsNothingWithoutNoise) {
  for (const AlgorithmTraits& entry : all_algorithms())
    for (const Adversary adversary : all_adversaries) {
      const auto run = small_run(std::string(entry.name));
      const Sizes sizes{.clients = 10, .records = 20, .dimension = 15};
      // No theorem covers a whole client behind binomial noise.
      const bool is_covered = entry.mechanism != Mechanism::shuffled_binomial || adversary != Adversary::user_level;
      EXPECT_EQ(plan(run, sizes, adversary, Basis::proven).has_value(), entry.adds_noise() && is_covered) << entry.name;
      if (!entry.adds_noise()) {
        EXPECT_FALSE(plan(run, sizes, adversary, Basis::published)) << entry.name;
      }
    }
}

TEST(Plan, IsNothingForABadRun) {
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = 0;
  EXPECT_REFUSED("noise", plan(run, {10, 20}, Adversary::server, Basis::proven));
  EXPECT_REFUSED("record_rate", plan(small_run("dp-fedavg"), {10, 4}, Adversary::server, Basis::proven));
}

}  // namespace
}  // namespace dpbudget::fl
