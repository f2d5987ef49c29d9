#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::Law;
using dpbudget::testing::log_uniform;
using dpbudget::testing::response_rows;
using dpbudget::testing::worst_divergence;

double upper(const ClonePair& pair, double epsilon) { return std::exp(log_delta(pair, epsilon, {0}).upper); }

// The worst neighbours over all values of all users, by enumeration.
// accounting/shuffle/proofs.md, 3.1
RC_GTEST_PROP(StrongerClones, BoundShuffledRandomisedResponse, ()) {
  const double local_epsilon = log_uniform(0.05, 5);
  const auto categories = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  const int reports = *rc::gen::inRange(1, categories == 4 ? 5 : 8);
  const double epsilon = local_epsilon * log_uniform(0.01, 1);
  const double truth = worst_divergence(response_rows(local_epsilon, categories), reports, epsilon);
  const double stronger =
      upper(StrongerClones::of_randomized_response(local_epsilon, categories).pair(reports), epsilon);
  RC_ASSERT(truth <= stronger + 1e-14);
  if (categories == 2) RC_ASSERT(stronger <= upper(clones(local_epsilon, reports), epsilon) * (1 + 1e-9) + 1e-14);
  RC_ASSERT(
      truth <=
      upper(StrongerClones::of_rows(response_rows(local_epsilon, categories), local_epsilon).pair(reports), epsilon) +
          1e-14);
  if (categories >= 3) {
    const numeric::Bracket attained = log_delta(third_value_pair(local_epsilon, categories, reports), epsilon);
    RC_ASSERT(std::exp(attained.lower) <= truth * (1 + 1e-9) + 1e-14);
  }
}

// What the third value's neighbours show, by its definition.
// accounting/shuffle/proofs.md, 4.2
RC_GTEST_PROP(HiddenPairs, AreTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(0.01, 8);
  const int categories = *rc::gen::inRange(3, 12);
  const int reports = *rc::gen::inRange(1, 25);
  const double epsilon = local_epsilon * log_uniform(0.01, 0.9);
  const double rare = 1 / (std::exp(local_epsilon) + categories - 1);
  const auto at = [&](int a, int b) {  // P(a, b) of the others
    if (a < 0 || b < 0) return 0.0;
    return dpbudget::testing::binomial_mass(reports - 1, 2 * rare, a + b) *
           dpbudget::testing::binomial_mass(a + b, 0.5, a);
  };
  double truth = 0;
  for (int a = 0; a <= reports; ++a)
    for (int b = 0; a + b <= reports; ++b) {
      const double likely = std::exp(local_epsilon) * rare;
      const double neither = 1 - likely - rare;
      const double p = likely * at(a - 1, b) + rare * at(a, b - 1) + neither * at(a, b);
      const double q = rare * at(a - 1, b) + likely * at(a, b - 1) + neither * at(a, b);
      truth += std::max(0.0, p - std::exp(epsilon) * q);
    }
  const numeric::Bracket found =
      log_delta(third_value_pair(local_epsilon, static_cast<std::uint64_t>(categories), reports), epsilon);
  RC_ASSERT(std::abs(std::exp(found.middle()) - truth) <= 1e-11 * truth + 1e-15);
  RC_ASSERT(found.lower <= found.upper);
}

// accounting/shuffle/proofs.md, 3.1
TEST(StrongerClones, AreRefusedWithoutTheirCertificate) {
  // Subset selection of 2 of 3: where the others' subset leaves y out, so may both of the pair's contain it.
  const double e = std::exp(1.0);
  const std::vector<Law> subsets = {{e / (2 * e + 1), e / (2 * e + 1), 1 / (2 * e + 1)},
                                    {e / (2 * e + 1), 1 / (2 * e + 1), e / (2 * e + 1)},
                                    {1 / (2 * e + 1), e / (2 * e + 1), e / (2 * e + 1)}};
  try {
    StrongerClones::of_rows(subsets, 1);
    ADD_FAILURE() << "not refused";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("erratum"), std::string::npos) << error.what();
  }
  EXPECT_THROW(StrongerClones::of_rows(response_rows(1.1, 3), 1), Unsupported);
  EXPECT_NO_THROW(StrongerClones::of_rows(response_rows(1, 3), 1));
}

TEST(StrongerClones, RefuseBadInputByName) {
  EXPECT_REFUSED("rows", StrongerClones::of_rows({{1.0}}, 1));
  EXPECT_REFUSED("rows", StrongerClones::of_rows({{0.5, 0.5}, {1.0}}, 1));
  EXPECT_REFUSED("rows", StrongerClones::of_rows({{0.5, 0.4}, {0.5, 0.5}}, 1));
  EXPECT_REFUSED("rows", StrongerClones::of_rows({{-0.5, 1.5}, {0.5, 0.5}}, 1));
  EXPECT_REFUSED("local_epsilon", StrongerClones::of_randomized_response(0));
  EXPECT_REFUSED("categories", StrongerClones::of_randomized_response(1, 1));
  EXPECT_REFUSED("reports", StrongerClones::of_randomized_response(1).pair(0.5));
  EXPECT_REFUSED("categories", third_value_pair(1, 2, 10));
}

}  // namespace
}  // namespace dpbudget::shuffle
