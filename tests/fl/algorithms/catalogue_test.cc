#include "dpbudget/fl/algorithms/catalogue.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string_view>

#include "dpbudget/fl/algorithms/averaging.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

TEST(Catalogue, FindsEveryAlgorithmByItsName) {
  EXPECT_EQ(all_algorithms().size(), 25u);
  const std::set<std::string_view> others = {"dpnfl", "addpnfl", "shuffled-mb-sgd", "binomial-ac-sa",
                                             "binomial-multi-stage-ac-sa"};
  for (const AlgorithmTraits& entry : all_algorithms()) {
    EXPECT_EQ(&find_algorithm(entry.name), &entry);
    EXPECT_NO_THROW(catalogued(entry.name));
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
  EXPECT_REFUSED("algorithm is `scafold`", catalogued("scafold"));
}

TEST(Catalogue, TakesNoNameTwice) {
  EXPECT_REFUSED("algorithm is `dp-fedavg`, but must be a name that no algorithm has yet",
                 add_algorithm({.name = "dp-fedavg"}, std::make_unique<LocalSteps>()));
  EXPECT_REFUSED("algorithm", add_algorithm({}, std::make_unique<LocalSteps>()));
}

}  // namespace
}  // namespace dpbudget::fl
