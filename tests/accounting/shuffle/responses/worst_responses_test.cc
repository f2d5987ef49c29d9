#include "dpbudget/accounting/shuffle/responses/worst_responses.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "accounting/shuffle/response_law.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"
#include "dpbudget/accounting/shuffle/responses/randomized_response.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::response_delta;
using dpbudget::testing::worst_response_delta;

// accounting/shuffle/proofs.md, 6.3
RC_GTEST_PROP(WorstResponses, DeltaIsTheLargestOverAllBits, ()) {
  const double local_epsilon = log_uniform(1e-2, 20);
  const int reports = *rc::gen::inRange(1, 60);
  const double epsilon = local_epsilon * (*rc::gen::inRange(0, 990) / 1e3);
  const double truth = worst_response_delta(local_epsilon, reports, epsilon);
  RC_PRE(truth > 1e-9);
  const numeric::Bracket found = randomized_response_log_delta_bracket(local_epsilon, reports, epsilon);
  RC_ASSERT(found.lower <= std::log(truth) + 1e-6);
  RC_ASSERT(found.upper >= std::log(truth) - 1e-6);
}

RC_GTEST_PROP(WorstResponses, EpsilonHidesEveryBit, ()) {
  const double local_epsilon = log_uniform(1e-2, 10);
  const int reports = *rc::gen::inRange(1, 60);
  const double delta = log_uniform(1e-7, 0.3);
  const numeric::Bracket found = randomized_response_epsilon_bracket(local_epsilon, reports, delta);
  RC_ASSERT(0 <= found.lower);
  RC_ASSERT(found.lower <= found.upper);
  RC_ASSERT(found.upper <= local_epsilon);
  RC_ASSERT(worst_response_delta(local_epsilon, reports, found.upper) <= delta * (1 + 1e-6));
  if (found.lower > 0) RC_ASSERT(worst_response_delta(local_epsilon, reports, found.lower) >= delta * (1 - 1e-6));
}

RC_GTEST_PROP(WorstResponses, AreWithinTheClones, ()) {
  const double local_epsilon = log_uniform(1e-2, 20);
  const double reports = std::floor(log_uniform(1, 3000));
  const double delta = log_uniform(1e-100, 0.3);
  const numeric::Bracket found = randomized_response_epsilon_bracket(local_epsilon, reports, delta);
  const ClonePair pair = StrongerClones::of_randomized_response(local_epsilon).pair(reports);
  RC_ASSERT(found.upper <= epsilon_bracket(pair, std::log(delta), {8e-5}).upper * (1 + 1e-3));
  RC_ASSERT(std::log(delta) + 1e-9 >=
            randomized_response_log_delta(local_epsilon, static_cast<std::uint64_t>(reports), found.upper));
}

TEST(WorstResponses, AreNotAlwaysThoseOfEqualBits) {
  // Where a threshold falls between integers, another number of ones can be worse than none and all.
  const double worst = worst_response_delta(0.1, 100, 0.0337);
  const double equal = std::max(response_delta(0.1, 99, 0, 0.0337), response_delta(0.1, 0, 99, 0.0337));
  EXPECT_GT(worst, 1.001 * equal);
  const numeric::Bracket found = randomized_response_log_delta_bracket(0.1, 100, 0.0337);
  EXPECT_GE(std::exp(found.upper), worst);
  EXPECT_LE(std::exp(found.lower), worst);
}

TEST(WorstResponses, AreKnownClosely) {
  for (const double reports : {1e3, 1e4, 1e5})
    for (const double local_epsilon : {0.5, 1.0, 2.0, 4.0}) {
      const numeric::Bracket found = randomized_response_epsilon_bracket(local_epsilon, reports, 1e-6);
      EXPECT_LE(found.upper - found.lower, 4e-4 * found.upper) << reports << ' ' << local_epsilon;
    }
}

TEST(WorstResponses, AreAnsweredUpToTheLargestLocalEpsilon) {
  const numeric::Bracket found = randomized_response_epsilon_bracket(650, 2, 0.1);
  EXPECT_LE(found.lower, found.upper);
  EXPECT_LE(found.upper, 650);
  EXPECT_GT(found.lower, 600);
  EXPECT_LE(randomized_response_log_delta_bracket(650, 2, 649).upper, 0);
}

TEST(WorstResponses, RefuseBadInputByName) {
  for (const double bad : {0.0, -1.0, 651.0, infinity, nan}) {
    EXPECT_REFUSED("local_epsilon", randomized_response_epsilon_bracket(bad, 10, 0.1));
    EXPECT_REFUSED("local_epsilon", randomized_response_log_delta_bracket(bad, 10, 0.1));
  }
  for (const double bad : {0.0, 2.5, 0x1p54, nan}) {
    EXPECT_REFUSED("reports", randomized_response_epsilon_bracket(1, bad, 0.1));
    EXPECT_REFUSED("reports", randomized_response_log_delta_bracket(1, bad, 0.1));
  }
  for (const double bad : {0.0, 1.0, nan}) EXPECT_REFUSED("delta", randomized_response_epsilon_bracket(1, 10, bad));
  for (const double bad : {-0.1, infinity, nan})
    EXPECT_REFUSED("epsilon", randomized_response_log_delta_bracket(1, 10, bad));
}

}  // namespace
}  // namespace dpbudget::shuffle
