#include "dpbudget/accounting/approximate/composition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/heterogeneous.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using Numbers = std::vector<double>;

TEST(BasicComposition, AddsUp) {
  EXPECT_EQ(basic_composition(Numbers{1, 0.5}, Numbers{0.25, 0.125}), (EpsilonDelta{1.5, 0.375}));
  EXPECT_EQ(basic_composition(Numbers{1, 1}, Numbers{0.75, 0.5}), (EpsilonDelta{2, 1}));
  EXPECT_EQ(basic_composition({}, {}), (EpsilonDelta{0, 0}));
}

// 20 digits by mpmath.
TEST(AdvancedComposition, IsTheClosedForm) {
  const auto [epsilon, delta] = advanced_composition(0.1, 1e-6, 100, 1e-6);
  EXPECT_NEAR(epsilon, 6.3082309505134086469, 1e-14);
  EXPECT_NEAR(delta, 1.0099999999999999543e-4, 1e-18);
  // Every digit of e^epsilon - 1 counts.
  EXPECT_NEAR(advanced_composition(1e-4, 0, 1e8, 1e-10).epsilon, 7.7861904260818205477, 1e-14);
  EXPECT_EQ(advanced_composition(1, 0.5, 0, 1e-3), (EpsilonDelta{0, 1e-3}));
}

// 20 digits by mpmath, for each of the three forms.
TEST(KairouzComposition, IsTheSmallestOfThree) {
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers{0.1, 0.2, 0.3}, 1e-6), 0.6, 1e-15);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(500, 0.01), 1e-06), 1.1348491768395167479, 1.13485e-12);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(500, 0.01), 0.5), 0.28827667644216591956, 2.88277e-13);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(400, 1e-200), 0.5), 2.3548200450309493399e-199, 2.35482e-211);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(3000, 1e-05), 0.9), 0.00025157853735146125556, 2.51579e-16);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(1000, 0.1), 1e-300), 100.00000000000000555, 9.999999999999999e-11);
  EXPECT_NEAR(kairouz_heterogeneous_epsilon(Numbers(5000, 0.01), 1.0), 0.2499979166874997996, 2.49998e-13);
  EXPECT_EQ(kairouz_heterogeneous_epsilon(Numbers{1, 2}, 0), 3);
  EXPECT_EQ(kairouz_heterogeneous_epsilon({}, 0.5), 0);
  EXPECT_EQ(kairouz_heterogeneous_epsilon(Numbers{0, 0}, 0.5), 0);
  EXPECT_EQ(kairouz_heterogeneous_log_delta({}, 0), -infinity);
  EXPECT_NEAR(kairouz_heterogeneous_log_delta(Numbers{0.5}, 0.5), std::log(0.75), 1e-15);
}

// What the closed form claims, the optimal composition must grant.
RC_GTEST_PROP(KairouzComposition, IsNeverBelowTheOptimal, ()) {
  Numbers epsilons;
  Numbers deltas;
  const int number = *rc::gen::inRange(1, 10);
  for (int i = 0; i < number; ++i) {
    epsilons.push_back(log_uniform(1e-3, 2));
    deltas.push_back(log_uniform(1e-12, 1e-2));
  }
  const double slack = log_uniform(1e-10, 0.9);
  const double epsilon = kairouz_heterogeneous_epsilon(epsilons, slack);
  RC_ASSERT(optimal_composition_heterogeneous_log_delta(epsilons, deltas, epsilon) <=
            kairouz_heterogeneous_log_delta(deltas, slack) + 1e-12);
}

RC_GTEST_PROP(AdvancedComposition, IsNeverBelowTheOptimal, ()) {
  const double epsilon = log_uniform(1e-5, 2);
  const double delta = log_uniform(1e-12, 1e-4);
  const double count = *rc::gen::inRange(1, 1000);
  const auto [total_epsilon, total_delta] = advanced_composition(epsilon, delta, count, log_uniform(1e-12, 0.1));
  RC_ASSERT(optimal_composition_log_delta(epsilon, delta, count, total_epsilon) <= std::log(total_delta));
}

RC_GTEST_PROP(KairouzComposition, OfGroupsIsThatOfTheirMembers, ()) {
  const std::vector<Equal> groups = {{log_uniform(1e-3, 1), 7}, {log_uniform(1e-3, 1), 30}};
  Numbers epsilons(7, groups[0].epsilon);
  epsilons.insert(epsilons.end(), 30, groups[1].epsilon);
  const double slack = log_uniform(1e-10, 0.9);
  const double bound = kairouz_heterogeneous_epsilon_bound(groups, slack);
  const double value = kairouz_heterogeneous_epsilon(epsilons, slack);
  RC_ASSERT(value * (1 - 1e-13) <= bound && bound <= value * (1 + 1e-12));
}

TEST(Composition, RefusesWhatIsOutOfRange) {
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(basic_composition(Numbers{bad}, Numbers{0}), InvalidArgument);
    EXPECT_THROW(basic_composition(Numbers{1}, Numbers{bad}), InvalidArgument);
    EXPECT_THROW(advanced_composition(bad, 0, 1, 0.1), InvalidArgument);
    EXPECT_THROW(advanced_composition(1, bad, 1, 0.1), InvalidArgument);
    EXPECT_THROW(advanced_composition(1, 0, bad, 0.1), InvalidArgument);
    EXPECT_THROW(advanced_composition(1, 0, 1, bad), InvalidArgument);
    EXPECT_THROW(kairouz_heterogeneous_epsilon(Numbers{bad}, 0.1), InvalidArgument);
    EXPECT_THROW(kairouz_heterogeneous_epsilon(Numbers{1}, bad), InvalidArgument);
    EXPECT_THROW(kairouz_heterogeneous_log_delta(Numbers{bad}, 0.1), InvalidArgument);
    EXPECT_THROW(kairouz_heterogeneous_log_delta(Numbers{0}, bad), InvalidArgument);
  }
  EXPECT_THROW(basic_composition(Numbers{1, 2}, Numbers{0}), InvalidArgument);
  EXPECT_THROW(advanced_composition(1, 0, 1.5, 0.1), InvalidArgument);
  EXPECT_THROW(advanced_composition(1, 0, 1, 0), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
