#include "dpbudget/fl/algorithms/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(Catalogue, FindsEveryAlgorithmByItsName) {
  EXPECT_EQ(all_algorithms().size(), 24u);
  const std::set<std::string_view> others = {"dpnfl", "addpnfl", "shuffled-mb-sgd", "binomial-ac-sa"};
  for (const AlgorithmEntry& entry : all_algorithms()) {
    EXPECT_EQ(&find_algorithm(entry.name), &entry);
    EXPECT_EQ(entry.adds_noise(), entry.name.starts_with("dp-") || others.contains(entry.name)) << entry.name;
    EXPECT_EQ(entry.warm_starts, entry.name.ends_with("-warm"));
    EXPECT_EQ(entry.steps == Steps::one_pass, entry.name.ends_with("fedsgd"));
    EXPECT_EQ(entry.steps == Steps::one, entry.name.ends_with("mb-sgd") || entry.name.ends_with("ac-sa"));
    EXPECT_EQ(entry.single_record, entry.name.ends_with("local-sgd"));
  }
}

TEST(Catalogue, NamesTheAlgorithmItDoesNotKnow) {
  EXPECT_REFUSED("algorithm is `scafold`, but must be one of fedavg,", find_algorithm("scafold"));
  EXPECT_REFUSED("algorithm", find_algorithm(""));
}

TEST(Catalogue, PlansNothingWithoutNoise) {
  for (const AlgorithmEntry& entry : all_algorithms())
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

TEST(Catalogue, PlansNothingForABadRun) {
  auto run = small_run("dp-fedavg");
  run.noise_multiplier = 0;
  EXPECT_REFUSED("noise", plan(run, {10, 20}, Adversary::server, Basis::proven));
  EXPECT_REFUSED("record_rate", plan(small_run("dp-fedavg"), {10, 4}, Adversary::server, Basis::proven));
}

}  // namespace
}  // namespace dpbudget::fl
