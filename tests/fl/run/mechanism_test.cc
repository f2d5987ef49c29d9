#include "dpbudget/fl/run/mechanism.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace dpbudget::fl {
namespace {

TEST(Mechanism, IsFoundByTheNameInALedger) {
  std::set<std::string_view> names;
  for (const MechanismTraits& traits : all_mechanisms) {
    EXPECT_EQ(find_mechanism(traits.name), traits.mechanism) << traits.name;
    EXPECT_EQ(&traits_of(traits.mechanism), &traits) << traits.name;
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name;
  }
  EXPECT_FALSE(find_mechanism("gaussian_at_median"));
  EXPECT_FALSE(find_mechanism(""));
}

// Whoever adds noise does so by one of the two, never by both.
TEST(Mechanism, AddsNoiseByMultipliersOrByBits) {
  for (const MechanismTraits& traits : all_mechanisms) {
    EXPECT_EQ(traits.adds_noise, traits.takes_multipliers != traits.encodes_bits) << traits.name;
  }
}

}  // namespace
}  // namespace dpbudget::fl
