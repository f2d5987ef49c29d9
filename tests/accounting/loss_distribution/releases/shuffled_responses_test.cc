#include "dpbudget/accounting/loss_distribution/releases/shuffled_responses.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "accounting/shuffle/response_law.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::response_law;
using dpbudget::testing::worst_response_delta;

// accounting/shuffle/proofs.md, 6.5
RC_GTEST_PROP(ShuffledResponsePieces, DominateEveryBitOfTheOthers, ()) {
  const double local_epsilon = log_uniform(1e-2, 10);
  const int reports = *rc::gen::inRange(1, 40);
  const double tail = log_uniform(1e-12, 1e-3);
  const Pieces pieces = shuffled_response_pieces(local_epsilon, reports, tail);
  RC_ASSERT(pieces.p_at_infinity <= tail);
  for (int i = 0; i < 20; ++i) {
    const double epsilon = local_epsilon * i / 19;
    const double truth = worst_response_delta(local_epsilon, reports, epsilon);
    const double found = testing::delta_of(pieces, epsilon);
    RC_LOG() << epsilon << ": " << truth << " " << found;
    RC_ASSERT(found >= truth * (1 - 1e-6) - 1e-12);
    RC_ASSERT(found <= truth * 1.05 + 1e-3 * local_epsilon + tail);
  }
}

// delta of two releases, the data of the others chosen anew for each, by all pairs of outcomes.
double delta_of_two(double local_epsilon, int reports, int first_ones, int second_ones, double epsilon) {
  const auto with = [&](int bit, int ones) { return response_law(local_epsilon, reports - ones - bit, ones + bit); };
  double delta = 0;
  for (int i = 0; i <= reports; ++i)
    for (int j = 0; j <= reports; ++j)
      delta += std::max(0.0, with(1, first_ones)[i] * with(1, second_ones)[j] -
                                 std::exp(epsilon) * with(0, first_ones)[i] * with(0, second_ones)[j]);
  return delta;
}

// accounting/shuffle/proofs.md, 6.5
RC_GTEST_PROP(ShuffledResponsePieces, ComposeWhateverTheOthersHoldInEachRound, ()) {
  const int reports = *rc::gen::inRange(2, 7);
  const double local_epsilon = *rc::gen::inRange(1, 40) / 10.0;
  const double epsilon = local_epsilon * (*rc::gen::inRange(0, 180) / 1e2);
  double worst = 0;
  for (int first = 0; first < reports; ++first)
    for (int second = 0; second <= first; ++second)
      worst = std::max(worst, delta_of_two(local_epsilon, reports, first, second, epsilon));
  const Plan plan = parse_plan("2 x shuffle(" + std::to_string(reports) + ", rr(" + std::to_string(local_epsilon) +
                               ")) under replace_one");
  const DeltaBound found = Accountant(plan, 1e-3).delta(1, epsilon);
  RC_LOG() << worst << " " << found.bound.upper;
  RC_ASSERT(found.bound.upper >= worst * (1 - 1e-9) - 1e-15);
  RC_ASSERT(found.bound.lower <= worst * (1 + 1e-9) + 1e-15);
}

TEST(ShuffledResponsePieces, AreCloseToWhatEqualBitsShow) {
  for (const char* text :
       {"1000 x shuffle(10000, rr(2))", "100 x shuffle(1000, rr(1))", "30 x shuffle(100000, rr(4))"}) {
    const Bound found = Accountant(parse_plan(std::string(text) + " under replace_one"), 1e-3).epsilon(1, 1e-6);
    EXPECT_LE(found.upper, 1.02 * found.lower) << text;
    EXPECT_LE(found.lower, found.upper) << text;
  }
}

TEST(ShuffledResponsePieces, RefuseWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, 1e-4, 21.0, nan}) {
    EXPECT_REFUSED("local_epsilon", shuffled_response_pieces(bad, 10, 1e-6));
    EXPECT_FALSE(has_shuffled_response_pieces(bad, 10, 1e-6));
  }
  for (const double bad : {0.0, 1.5, 0x1p33, nan}) EXPECT_REFUSED("reports", shuffled_response_pieces(1, bad, 1e-6));
  EXPECT_FALSE(has_shuffled_response_pieces(1, 0x1p33, 1e-6));
  EXPECT_REFUSED("tail", shuffled_response_pieces(1, 10, 1e-200));
  EXPECT_FALSE(has_shuffled_response_pieces(1, 10, 1e-200));
  EXPECT_REFUSED("tail", shuffled_response_pieces(1, 10, 0));
  EXPECT_REFUSED("tail", shuffled_response_pieces(1, 10, nan));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
