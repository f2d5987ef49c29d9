#include "dpbudget/accounting/shuffle/clones/clones.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "dpbudget/accounting/base/infinity.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::each_clone_outcome;
using dpbudget::testing::log_uniform;

double by_definition(double local_epsilon, int reports, double epsilon) {
  double delta = 0;
  each_clone_outcome(local_epsilon, std::exp(-local_epsilon), reports,
                     [&](double p, double q) { delta += std::max(0.0, p - std::exp(epsilon) * q); });
  return delta;
}

// accounting/shuffle/proofs.md, 1.1
RC_GTEST_PROP(Clones, DeltaIsTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(1e-3, 20);
  const int reports = *rc::gen::inRange(1, 60);
  const double epsilon = local_epsilon * log_uniform(1e-3, 0.99);
  const double truth = by_definition(local_epsilon, reports, epsilon);
  const double found = std::exp(clones_log_delta(local_epsilon, reports, epsilon));
  // The sum over every outcome cancels.
  RC_ASSERT(std::abs(found - truth) <= 1e-10 * truth + 1e-15);
}

// accounting/shuffle/proofs.md, 1.2 and 1.3
RC_GTEST_PROP(Clones, BracketsOfAnyWidthHoldTheValue, ()) {
  const double local_epsilon = log_uniform(1e-6, 20);
  const double reports = std::floor(log_uniform(2, 1e5));
  const ClonePair pair = clones(local_epsilon, reports);
  const double epsilon = 2 * std::atanh(std::tanh(local_epsilon / 2) *
                                        std::min(0.99, log_uniform(0.01, 12) / std::sqrt(pair.count.mode() + 1)));
  const numeric::Bracket exact = log_delta(pair, epsilon, {0});
  const numeric::Bracket wide = log_delta(pair, epsilon, {log_uniform(1e-6, 0.3)});
  RC_ASSERT(exact.lower <= exact.upper);
  RC_ASSERT(exact.upper - exact.lower <= 1e-9 * (1 + std::abs(exact.upper)));
  RC_ASSERT(wide.lower <= exact.upper);
  RC_ASSERT(wide.upper >= exact.lower);
}

RC_GTEST_PROP(Clones, AreMonotone, ()) {
  const double local_epsilon = log_uniform(1e-3, 10);
  const double reports = std::floor(log_uniform(2, 1e4));
  const double epsilon = local_epsilon * log_uniform(1e-4, 0.9);
  const double here = clones_log_delta(local_epsilon, reports, epsilon);
  const double slack = 1e-11 * (1 + std::abs(here));
  RC_ASSERT(clones_log_delta(local_epsilon, reports, epsilon * 1.01) <= here + slack);
  RC_ASSERT(clones_log_delta(local_epsilon, reports + 1, epsilon) <= here + slack);
  RC_ASSERT(clones_log_delta(local_epsilon * 1.01, reports, epsilon) + slack >= here);
}

// accounting/shuffle/proofs.md, 1.5
RC_GTEST_PROP(Clones, EpsilonBracketsMeetTheirDelta, ()) {
  const double local_epsilon = log_uniform(1e-6, 20);
  const ClonePair pair = clones(local_epsilon, std::floor(log_uniform(2, 1e5)));
  const double target = std::log(log_uniform(1e-100, 0.3));
  const numeric::Bracket found = epsilon_bracket(pair, target, {8e-5});
  RC_ASSERT(0 <= found.lower);
  RC_ASSERT(found.lower <= found.upper);
  RC_ASSERT(found.upper <= local_epsilon);
  RC_ASSERT(found.upper - found.lower <= 1e-4 * found.upper);
  if (found.upper > 0) RC_ASSERT(log_delta(pair, found.upper, {0}).lower <= target);
  if (found.lower > 0) RC_ASSERT(log_delta(pair, found.lower, {0}).upper >= target);
}

// Any randomiser of up to three inputs and four outputs, at its worst neighbours.
RC_GTEST_PROP(Clones, BoundEveryRandomiserByEnumeration, ()) {
  const auto inputs = static_cast<std::size_t>(*rc::gen::inRange(2, 4));
  const auto outputs = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  const int reports = *rc::gen::inRange(1, outputs == 4 ? 6 : 9);
  std::vector<dpbudget::testing::Law> rows(inputs, dpbudget::testing::Law(outputs));
  for (auto& row : rows) {
    double sum = 0;
    for (double& probability : row) sum += probability = log_uniform(0.05, 1);
    for (double& probability : row) probability /= sum;
  }
  double local_epsilon = 1e-9;
  for (std::size_t y = 0; y < outputs; ++y)
    for (const auto& row : rows)
      for (const auto& other : rows) local_epsilon = std::max(local_epsilon, std::log(row[y] / other[y]));
  const double epsilon = local_epsilon * log_uniform(0.01, 1);
  const double truth = dpbudget::testing::worst_divergence(rows, reports, epsilon);
  RC_ASSERT(truth <= std::exp(log_delta(clones(local_epsilon, reports), epsilon, {0}).upper) + 1e-14);
}

// Upper bounds that a peer (Apple's ml-shuffling-amplification) proves at delta 1e-6, and its lower bounds: ours lie
// between.
TEST(Clones, AreBetweenThePeersBounds) {
  struct Peer {
    double local_epsilon, reports, lower, upper;
  };
  for (const Peer& peer :
       {Peer{1, 1e4, 0.05284924, 0.05353263}, Peer{2, 1e4, 0.1523615, 0.1590082}, Peer{4, 1e4, 0.5703125, 0.6208229},
        Peer{1, 1e5, 0.0152811, 0.01551388}, Peer{2, 1e5, 0.04501753, 0.04522546}, Peer{4, 1e5, 0.1675386, 0.1727906},
        Peer{1, 1e6, 0.004334495, 0.004603191}, Peer{2, 1e6, 0.01295819, 0.01357549},
        Peer{4, 1e6, 0.04930063, 0.05020349}}) {
    const numeric::Bracket found = epsilon_bracket(clones(peer.local_epsilon, peer.reports), std::log(1e-6), {8e-5});
    EXPECT_GE(found.upper, peer.lower) << peer.reports;
    EXPECT_LE(found.lower, peer.upper) << peer.reports;
    EXPECT_LE(found.upper - found.lower, 1e-4 * found.upper) << peer.reports;
  }
}

// A public implementation returns perfect privacy for few reports.
TEST(Clones, OfOneOrTwoReportsAreLocal) {
  for (const double local_epsilon : {0.01, 1.0, 20.0}) {
    const double alone = -std::expm1(0.5 * local_epsilon - local_epsilon) / (1 + std::exp(-local_epsilon));
    EXPECT_NEAR(std::exp(clones_log_delta(local_epsilon, 1, local_epsilon / 2)), alone, 1e-12 * alone);
    EXPECT_GT(std::exp(clones_log_delta(local_epsilon, 2, local_epsilon / 2)), 0.1 * alone);
    EXPECT_LE(std::exp(clones_log_delta(local_epsilon, 2, local_epsilon / 2)), alone * (1 + 1e-12));
  }
}

TEST(Clones, AnswerAtTheExtremes) {
  EXPECT_EQ(clones_log_delta(1, 100, 1), -infinity);
  EXPECT_EQ(clones_log_delta(1, 100, 2), -infinity);
  for (const double reports : {2.0, 1e3, 1e6, 1e9})
    for (const double local_epsilon : {1e-6, 1.0, 20.0})
      for (const double log_delta : {-1.0, -14.0, -230.0}) {
        const numeric::Bracket found = epsilon_bracket(clones(local_epsilon, reports), log_delta, {1e-3});
        EXPECT_GE(found.lower, 0);
        EXPECT_LE(found.lower, found.upper);
        EXPECT_LE(found.upper, local_epsilon);
        EXPECT_LE(found.upper - found.lower, 2e-3 * found.upper) << reports << ' ' << local_epsilon << ' ' << log_delta;
      }
  const Bound bound = clones_bound(1, 1e6, 1e-6);
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
  EXPECT_NEAR(bound.upper, 0.0043345, 1e-6);
  EXPECT_EQ(bound.lower, 0);
}

// What very many reports are summed in: blocks whose middle is more accurate than they are wide.
TEST(Clones, MiddlesOfWideBracketsAreAccurate) {
  for (const double epsilon : {0.0, 0.003, 0.02}) {
    const ClonePair pair = clones(1, 1e6);
    const numeric::Bracket exact = log_delta(pair, epsilon, {0});
    const numeric::Bracket wide = log_delta(pair, epsilon, {1e-4});
    const double width = wide.upper - wide.lower;
    EXPECT_LE(exact.upper - exact.lower, 1e-8);
    // Means of an odd and of the next even number of signs are equal.
    const double of_parity = 0.25 / pair.count.mode();
    EXPECT_LE(std::abs(wide.middle() - exact.middle()), width * width + of_parity) << epsilon;
  }
}

// Each number of clones by itself would take minutes.
TEST(Clones, OfABillionReportsAreBracketed) {
  const numeric::Bracket found = log_delta(clones(12, 1e9), 0.1, {0});
  EXPECT_LE(found.lower, found.upper);
  EXPECT_LE(found.upper - found.lower, 1e-7);
  const Stride stride = stride_of(clones(1, 1e9), {0}, 4);
  EXPECT_GE(stride(1e9), 16);
  EXPECT_EQ(stride(1e9), stride(1));
  EXPECT_LE(stride_of(clones(1, 1e5), {0}, 4)(1e5), 1);
  EXPECT_EQ(stride_of(clones(1, 1e5), {1e-3}, 4)(1e5), 100);
}

TEST(Clones, OfLargeLocalEpsilonsAreLocal) {
  for (const double local_epsilon : {40.0, 300.0, 650.0}) {
    // tanh(epsilon_0 / 2) - tanh(epsilon / 2) over 1 - tanh(epsilon / 2), of randomised response by itself.
    EXPECT_NEAR(std::exp(clones_log_delta(local_epsilon, 1, local_epsilon - 1)), -std::expm1(-1), 1e-12);
    EXPECT_NEAR(std::exp(clones_log_delta(local_epsilon, 1000, local_epsilon - 1)), -std::expm1(-1), 1e-12);
    const double epsilon = clones_epsilon(local_epsilon, 1000, 1e-6);
    EXPECT_NEAR(epsilon, local_epsilon + std::log1p(-1e-6), 1e-9);
  }
}

TEST(Clones, RefuseBadInputByName) {
  for (const double bad : {0.0, -1.0, 650.1, 710.0, infinity, nan})
    EXPECT_REFUSED("local_epsilon", clones_log_delta(bad, 10, 0.1));
  for (const double bad : {0.0, -1.0, 2.5, 0x1p54, infinity, nan})
    EXPECT_REFUSED("reports", clones_log_delta(1, bad, 0.1));
  for (const double bad : {-0.1, infinity, nan}) EXPECT_REFUSED("epsilon", clones_log_delta(1, 10, bad));
  for (const double bad : {0.0, 1.0, -1.0, nan}) {
    EXPECT_REFUSED("delta", clones_epsilon(1, 10, bad));
    EXPECT_REFUSED("delta", clones_bound(1, 10, bad));
  }
}

}  // namespace
}  // namespace dpbudget::shuffle
