#include "dpbudget/accounting/renyi/shuffled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(ShuffleRenyi, IsTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(0.05, 6);
  const int reports = *rc::gen::inRange(1, 50);
  const double order = 1 + log_uniform(0.1, 30);
  double moment = 0;
  dpbudget::testing::each_clone_outcome(local_epsilon, std::exp(-local_epsilon), reports,
                                        [&](double p, double q) { moment += q == 0 ? 0 : std::pow(p / q, order) * q; });
  const double truth = std::log(moment) / (order - 1);
  const double found = renyi_divergence(clones(local_epsilon, reports), order);
  RC_ASSERT(std::abs(found - truth) <= 1e-10 * truth + 1e-14 / (order - 1));
}

// The value by a coarse grid of numbers of clones, against the proven bracket.
// accounting/shuffle/proofs.md, 5.3
RC_GTEST_PROP(ShuffleRenyi, BracketsHoldTheValue, ()) {
  const double local_epsilon = log_uniform(1e-3, 8);
  const ClonePair pair = clones(local_epsilon, std::floor(log_uniform(2, 1e5)));
  const double order = 1 + log_uniform(1e-3, 100);
  const double value = renyi_divergence(pair, order);
  const numeric::Bracket found = renyi_bracket(pair, order, {3e-2});
  RC_ASSERT(found.lower <= value * (1 + 1e-9));
  RC_ASSERT(value <= found.upper * (1 + 1e-9));
  RC_ASSERT(found.upper <= local_epsilon);
  RC_ASSERT(renyi_divergence(pair, order * 1.1) >= value * (1 - 1e-10));
}

// In logarithms, since moments of such orders leave every double; both peaks of the moment are within reach.
RC_GTEST_PROP(ShuffleRenyi, OfLargeOrdersIsTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(0.05, 8);
  const int reports = *rc::gen::inRange(1, 150);
  const double order = 1 + log_uniform(10, 1e7);
  double log_moment = -std::numeric_limits<double>::infinity();
  dpbudget::testing::each_clone_outcome(local_epsilon, std::exp(-local_epsilon), reports, [&](double p, double q) {
    if (q > 0) log_moment = numeric::log_add(log_moment, order * std::log(p / q) + std::log(q));
  });
  const double truth = log_moment / (order - 1);
  const ClonePair pair = clones(local_epsilon, reports);
  const numeric::Bracket found = renyi_bracket(pair, order, {0});
  RC_ASSERT(found.lower <= truth * (1 + 1e-9));
  RC_ASSERT(found.upper >= truth * (1 - 1e-9));
  RC_ASSERT(found.upper - found.lower <= 1e-9 * truth);
  RC_ASSERT((*renyi_curve(pair))(order) <= truth * 1.01);
}

// What decides lies far from both centres: masses of 1e-5000 times moments of as many digits.
TEST(ShuffleRenyi, OfLargeOrdersIsKnownAsCloselyAsOfSmallOnes) {
  const ClonePair pair = clones(1, 1e6);
  const double at_1e5 = renyi_divergence(pair, 1e5);
  EXPECT_GE((*renyi_curve(pair))(1e5), at_1e5 * (1 - 1e-9));
  EXPECT_LE((*renyi_curve(pair))(1e5), at_1e5 * 1.006);
  // The largest of all terms P(C = c) P(B = b) (P/Q)^order, by descent along both coordinates with lgamma: c = 284117,
  // b = 257580. All together are some hundred thousand times it.
  const double at_3e5 = (112639.19784 + 12) / 3e5;
  EXPECT_NEAR((*renyi_curve(pair))(3e5), at_3e5, 6e-3 * at_3e5);
  // 2 order tau^2 / m, as for a normal law.
  const ClonePair many = clones(4, 0x1p53);
  const double tau = std::tanh(2);
  for (const double order : {1e4, 1e7}) {
    const double truth = 2 * order * tau * tau / many.count.mode();
    EXPECT_NEAR((*renyi_curve(many))(order), truth, 1e-2 * truth);
  }
}

TEST(ShuffleRenyi, OfOrdersBeyondAllUseIsANumber) {
  for (const double local_epsilon : {0.220275, 1.0})
    for (const double reports : {2.0, 100.0, 10000.0})
      for (double order = 1e18; order < 1e20; order *= 1.7) {
        const numeric::Bracket found = renyi_bracket(clones(local_epsilon, reports), order, {1e-2});
        EXPECT_GE(found.lower, 0) << order;
        EXPECT_LE(found.lower, found.upper) << order;
        EXPECT_LE(found.upper, local_epsilon) << order;
      }
}

// Divergences of randomised response by itself, ((e^a)^order + e^a (e^a)^-order) / (1 + e^a) for a = local_epsilon.
TEST(ShuffleRenyi, OfLargeLocalEpsilonsIsThatOfRandomizedResponse) {
  for (const double local_epsilon : {40.0, 300.0, 650.0})
    for (const double order : {1.5, 2.0, 10.0}) {
      const double truth = local_epsilon - std::log1p(std::exp(-local_epsilon)) / (order - 1);
      const numeric::Bracket found = renyi_bracket(clones(local_epsilon, 1), order, {0});
      EXPECT_LE(found.lower, truth * (1 + 1e-13));
      EXPECT_GE(found.upper, truth * (1 - 1e-13));
      EXPECT_NEAR(renyi_divergence(clones(local_epsilon, 10), order), truth, 1e-10 * truth);
    }
  EXPECT_REFUSED("local_epsilon", clones(712, 1));
}

// Very many signs are normal with variance 1 / m, and the divergence 2 order tau^2 / m.
TEST(ShuffleRenyi, OfVeryManyReportsIsThatOfANormalLaw) {
  for (const auto& [local_epsilon, order] : {std::pair{0.1, 1.5}, {4.0, 3.0}}) {
    const ClonePair pair = clones(local_epsilon, 0x1p48);
    const double tau = std::tanh(local_epsilon / 2);
    const double truth = 2 * order * tau * tau / pair.count.mode();
    const numeric::Bracket found = renyi_bracket(pair, order, {1e-2});
    EXPECT_LE(found.lower, truth * 1.0001);
    EXPECT_GE(found.upper, truth * 0.9999);
    EXPECT_LE(found.upper - found.lower, 1e-2 * truth);
    EXPECT_NEAR(renyi_divergence(pair, order), truth, 1e-4 * truth);
  }
}

// Girgis et al.'s bounds are for every randomiser, and so above randomised response; their first is weaker where the
// second holds.
RC_GTEST_PROP(RenyiCurve, IsAtMostHalfAPercentAboveTheDivergence, ()) {
  const double local_epsilon = log_uniform(1e-3, 8);
  const ClonePair pair = clones(local_epsilon, std::floor(log_uniform(1, 1e4)));
  const double order = 1 + log_uniform(1e-2, 100);
  const renyi::CurvePtr curve = renyi_curve(pair);
  const double truth = renyi_divergence(pair, order);
  RC_ASSERT((*curve)(order) >= truth * (1 - 1e-9));
  RC_ASSERT((*curve)(order) <= truth * 1.006 + 1e-12);
  RC_ASSERT((*curve)(order) == (*curve)(order));
  RC_ASSERT((*curve)(order) <= curve->at_infinity());
  RC_ASSERT(curve->at_infinity() == local_epsilon);
}

TEST(ShuffleRenyi, GirgisBoundsAreAboveTheClones) {
  for (const double order : {2.0, 3.0, 4.0})
    for (const double reports : {1e5, 1e6, 1e7}) {
      const double exact = renyi_divergence(clones(0.5, reports), order);
      EXPECT_GT(girgis_renyi(0.5, reports, order), exact);
      EXPECT_GT(girgis_renyi_general(0.5, reports, order), exact);
    }
}

TEST(ShuffleRenyi, RefusesWhatItsTheoremsDoNotCover) {
  EXPECT_REFUSED("order^4", girgis_renyi(1, 1e6, 8));
  for (const double bad : {1.0, 2.5, 0.0, std::nan("")}) {
    EXPECT_REFUSED("order is", girgis_renyi(0.1, 1e9, bad));
    EXPECT_REFUSED("order is", girgis_renyi_general(0.1, 1e9, bad));
  }
  EXPECT_REFUSED("order is", girgis_renyi_general(0.1, 1e9, 0x1p17));
  EXPECT_REFUSED("order is", renyi_divergence(clones(1, 10), 1));
  EXPECT_REFUSED("local_epsilon is", girgis_renyi(0, 1e9, 2));
  EXPECT_REFUSED("reports is", girgis_renyi(0.1, 0, 2));
}

}  // namespace
}  // namespace dpbudget::shuffle
