#include "dpbudget/accounting/approximate/heterogeneous.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "accounting/approximate/reference.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;
using Numbers = std::vector<double>;

struct Mechanisms {
  Numbers epsilons;
  Numbers deltas;
  double sum() const { return std::accumulate(epsilons.begin(), epsilons.end(), 0.0); }
};

Mechanisms random_mechanisms(int most) {
  Mechanisms made;
  const int number = *rc::gen::inRange(1, most + 1);
  const double epsilon = log_uniform(1e-4, 10);
  for (int i = 0; i < number; ++i) {
    // Some equal, so that there are groups.
    made.epsilons.push_back(*rc::gen::arbitrary<bool>() ? epsilon : log_uniform(1e-4, 10));
    made.deltas.push_back(*rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-15, 0.2));
  }
  return made;
}

// accounting/approximate/proofs.md, 2.1
RC_GTEST_PROP(Heterogeneous, IsTheSumOverAllOutcomes, ()) {
  const Mechanisms given = random_mechanisms(8);
  const double total_epsilon = given.sum() * *rc::gen::inRange(0, 1000) / 1e3;
  const Precise truth = testing::by_all_outcomes(given.epsilons, given.deltas, total_epsilon);
  RC_PRE(truth > 1e-30);
  const double value = optimal_composition_heterogeneous_log_delta(given.epsilons, given.deltas, total_epsilon);
  RC_ASSERT(testing::log_error(value, truth) < 1e-12);
  const auto [lower, upper] =
      optimal_composition_heterogeneous_log_delta_bracket(given.epsilons, given.deltas, total_epsilon);
  RC_ASSERT(lower <= log(truth) && log(truth) <= upper && upper - lower < 1e-9);
}

RC_GTEST_PROP(Heterogeneous, OfEqualMechanismsIsTheHomogeneousSum, ()) {
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 500));
  const double epsilon = log_uniform(1e-4, 3);
  const double delta = log_uniform(1e-12, 1e-3);
  const auto number = static_cast<double>(count);
  const double total_epsilon = number * epsilon * *rc::gen::inRange(0, 1000) / 1e3;
  const double homogeneous = optimal_composition_log_delta(epsilon, delta, number, total_epsilon);
  const double heterogeneous =
      optimal_composition_heterogeneous_log_delta(Numbers(count, epsilon), Numbers(count, delta), total_epsilon);
  RC_ASSERT(std::abs(heterogeneous - homogeneous) < 1e-11 * (1 + std::abs(homogeneous)));
}

// accounting/approximate/proofs.md, 2.2
TEST(Heterogeneous, KeepsItsDigitsNextToTies) {
  // 0.1 + 0.2 + 0.3 less 1e-14, as doubles: mpmath.
  const Numbers epsilons = {0.1, 0.2, 0.3};
  const Precise truth = testing::by_all_outcomes(epsilons, {}, 0.6 - 1e-14);
  EXPECT_LT(
      testing::log_error(optimal_composition_heterogeneous_log_delta(epsilons, Numbers(3, 0), 0.6 - 1e-14), truth),
      1e-12);
}

RC_GTEST_PROP(Heterogeneous, EpsilonAndDeltaAreInverse, ()) {
  const Mechanisms given = random_mechanisms(8);
  const double failing = -std::expm1(std::accumulate(given.deltas.begin(), given.deltas.end(), 0.0,
                                                     [](double sum, double d) { return sum + std::log1p(-d); }));
  const double total_delta = failing + (1 - failing) * log_uniform(1e-12, 0.9);
  const double found = optimal_composition_heterogeneous_epsilon(given.epsilons, given.deltas, total_delta);
  const auto log_delta_at = [&](double total_epsilon) {
    return optimal_composition_heterogeneous_log_delta(given.epsilons, given.deltas, total_epsilon);
  };
  if (found == 0) {
    RC_ASSERT(log_delta_at(0) <= std::log(total_delta) + 1e-12);
  } else {
    // Next to the largest loss a double's own spacing shows.
    const double spacing = 1e-13 * given.sum() / std::max(given.sum() - found, 1e-13 * given.sum());
    RC_ASSERT(std::abs(log_delta_at(found) - std::log(total_delta)) < 1e-9 + spacing);
  }
  const double bound = optimal_composition_heterogeneous_epsilon_bound(given.epsilons, given.deltas, total_delta);
  RC_ASSERT(bound >= found * (1 - 1e-12));
  RC_ASSERT(bound == infinity || log_delta_at(bound) <= std::log(total_delta));
}

TEST(Heterogeneous, IsBracketedByLossDistributions) {
  const Numbers epsilons = {0.1, 0.2, 0.3, 1.0, 0.2};
  const Numbers deltas = {1e-6, 0, 1e-6, 1e-5, 0};
  const double log_delta = optimal_composition_heterogeneous_log_delta(epsilons, deltas, 0.9);
  const DeltaBound delta = optimal_composition_heterogeneous_delta_bracket(epsilons, deltas, 0.9, 1e-3);
  EXPECT_LE(delta.log_lower, log_delta);
  EXPECT_GE(delta.log_upper, log_delta);
  EXPECT_LT(delta.log_upper - delta.log_lower, 3e-3);
  const double epsilon = optimal_composition_heterogeneous_epsilon(epsilons, deltas, 1e-2);
  const Bound bound = optimal_composition_heterogeneous_epsilon_bracket(epsilons, deltas, 1e-2, 1e-3);
  EXPECT_LE(bound.lower, epsilon);
  EXPECT_GE(bound.upper, epsilon);
}

TEST(Heterogeneous, AnswersAtTheEdges) {
  EXPECT_EQ(optimal_composition_heterogeneous_log_delta({}, {}, 0), -infinity);
  EXPECT_EQ(optimal_composition_heterogeneous_epsilon({}, {}, 0.1), 0);
  const Numbers epsilons = {0, 1};
  const Numbers deltas = {0.1, 0};
  EXPECT_NEAR(optimal_composition_heterogeneous_log_delta(epsilons, deltas, 1), std::log(0.1), 1e-14);
  EXPECT_EQ(optimal_composition_heterogeneous_epsilon(epsilons, deltas, 0.05), infinity);
  EXPECT_EQ(optimal_composition_heterogeneous_epsilon_bound(epsilons, deltas, 0.05), infinity);
  EXPECT_EQ(optimal_composition_heterogeneous_epsilon(epsilons, Numbers{0, 0}, 0), 1);
  EXPECT_GE(optimal_composition_heterogeneous_epsilon_bound(epsilons, Numbers{0, 0}, 0), 1);
  EXPECT_EQ(combinations(Numbers{1, 1, 2, 0, 3}), 12);
}

TEST(Heterogeneous, RefusesWhatIsOutOfRange) {
  const Numbers one = {1};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(optimal_composition_heterogeneous_log_delta(Numbers{bad}, one, 1), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_log_delta(one, Numbers{0}, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_log_delta_bracket(one, Numbers{0}, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_epsilon(one, Numbers{bad}, 0.1), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_epsilon(one, one, bad), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_delta_bracket(Numbers{bad}, one, 1, 0.1), InvalidArgument);
    EXPECT_THROW(optimal_composition_heterogeneous_epsilon_bracket(one, Numbers{bad}, 0.1, 0.1), InvalidArgument);
  }
  EXPECT_THROW(optimal_composition_heterogeneous_log_delta(one, {}, 1), InvalidArgument);
  Numbers many;
  for (int i = 1; i <= 23; ++i) many.push_back(0.1 * i);
  try {
    optimal_composition_heterogeneous_log_delta(many, Numbers(23, 0), 1);
    ADD_FAILURE() << "2^23 combinations are accepted";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("2^22"), std::string::npos) << error.what();
  }
}

TEST(Heterogeneous, IsBoundedByTheSumAtTheSmallestDeltas) {
  const std::vector<double> epsilons = {1, 2};
  const std::vector<double> deltas = {0, 0};
  EXPECT_EQ(optimal_composition_heterogeneous_epsilon_bound(epsilons, deltas, 1e-100), 3);
}

}  // namespace
}  // namespace dpbudget::approximate
