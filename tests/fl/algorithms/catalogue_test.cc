#include "dpbudget/fl/algorithms/catalogue.h"

#include <gtest/gtest.h>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(Catalogue, FindsEveryAlgorithmByItsName) {
  EXPECT_EQ(all_algorithms().size(), 8u);
  for (const AlgorithmEntry& entry : all_algorithms()) {
    EXPECT_EQ(&find_algorithm(entry.name), &entry);
    EXPECT_EQ(entry.adds_noise, entry.name.starts_with("dp-"));
    EXPECT_EQ(entry.warm_starts, entry.name.ends_with("-warm"));
    EXPECT_EQ(entry.one_pass, entry.name.ends_with("fedsgd"));
  }
}

TEST(Catalogue, NamesTheAlgorithmItDoesNotKnow) {
  EXPECT_REFUSED("algorithm is `scafold`, but must be one of fedavg,", find_algorithm("scafold"));
  EXPECT_REFUSED("algorithm", find_algorithm(""));
}

TEST(Catalogue, PlansNothingWithoutNoise) {
  for (const AlgorithmEntry& entry : all_algorithms())
    for (const Adversary adversary : all_adversaries)
      EXPECT_EQ(plan(small_run(std::string(entry.name)), {10, 20}, adversary, Basis::proven).has_value(),
                entry.adds_noise)
          << entry.name;
}

TEST(Catalogue, PlansNothingForABadRun) {
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = 0;
  EXPECT_REFUSED("noise_multiplier", plan(run, {10, 20}, Adversary::server, Basis::proven));
  EXPECT_REFUSED("record_rate", plan(small_run("dp-fedavg"), {10, 4}, Adversary::server, Basis::proven));
}

}  // namespace
}  // namespace dpbudget::fl
