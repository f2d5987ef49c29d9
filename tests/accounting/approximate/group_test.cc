#include "dpbudget/accounting/approximate/group.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;
using Parts = std::vector<EpsilonDelta>;

RC_GTEST_PROP(Group, IsTheGeometricSeries, ()) {
  const double epsilon = log_uniform(1e-10, 5);
  const double delta = log_uniform(1e-20, 1e-3);
  const int size = *rc::gen::inRange(1, 60);
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += delta * std::exp(i * epsilon);
  const EpsilonLogDelta found = group(epsilon, delta, size);
  RC_ASSERT(std::abs(found.log_delta - std::log(sum)) < 1e-12);
  RC_ASSERT(found.epsilon == size * epsilon);
}

// k records shift a Gaussian k times as far.
RC_GTEST_PROP(Group, IsNeverBelowTheGaussiansOwn, ()) {
  const double noise = log_uniform(0.3, 10);
  const double epsilon = log_uniform(1e-3, 5);
  const int size = *rc::gen::inRange(1, 10);
  const EpsilonLogDelta found = group(epsilon, std::exp(profile::gaussian_log_delta(epsilon, noise)), size);
  RC_ASSERT(found.log_delta >= profile::gaussian_log_delta(found.epsilon, noise / size) - 1e-9);
}

TEST(Group, AnswersAtTheEdges) {
  EXPECT_NEAR(group(0, 1e-9, 1000).log_delta, std::log(1e-6), 1e-14);
  EXPECT_NEAR(group(1e-300, 1e-9, 7).log_delta, std::log(7e-9), 1e-14);
  EXPECT_EQ(group(5, 0, 3).log_delta, -infinity);
  EXPECT_EQ(group(0, 0, 3).log_delta, -infinity);
  EXPECT_EQ(group(30, 1e-10, 1).log_delta, std::log(1e-10));
  // log(1e-300 e^798 / (1 - e^-2)): the theorem's number, beyond a double, not capped.
  EXPECT_NEAR(group(2, 1e-300, 400).log_delta, std::log(1e-300) + 798 - std::log1p(-std::exp(-2)), 1e-10);
}

// accounting/approximate/proofs.md, 4.1
TEST(ParallelComposition, CostsTheMostOfTheParts) {
  const Parts parts = {{1, 1e-6}, {0.5, 1e-5}, {2, 0}};
  for (const Adjacency adjacency : all_adjacencies)
    EXPECT_EQ(parallel_composition(parts, adjacency, PartOf::fixed_in_advance), (EpsilonDelta{2, 1e-5}));
  for (const Adjacency adjacency : {Adjacency::add_or_remove_one, Adjacency::zero_out_one})
    EXPECT_EQ(parallel_composition(parts, adjacency, PartOf::record_content), (EpsilonDelta{2, 1e-5}));
  EXPECT_EQ(parallel_composition({}, Adjacency::replace_one, PartOf::record_content), (EpsilonDelta{0, 0}));
}

// Removed from one part and added to another, or to the same.
// accounting/approximate/proofs.md, 4.2
TEST(ParallelComposition, OfReplacedContentCostsTwoSteps) {
  const auto replaced = [](const Parts& parts) {
    return parallel_composition(parts, Adjacency::replace_one, PartOf::record_content);
  };
  EXPECT_EQ(replaced({{1, 0}, {0.5, 0}}), (EpsilonDelta{2, 0}));
  EXPECT_EQ(replaced({{0, 1e-5}, {3, 0}, {0, 1e-6}}), (EpsilonDelta{6, 2e-5}));
  const EpsilonDelta one_part = replaced({{1, 1e-6}});
  EXPECT_EQ(one_part.epsilon, 2);
  EXPECT_NEAR(std::log(one_part.delta), group(1, 1e-6, 2).log_delta, 1e-12);
  EXPECT_EQ(replaced({{1000, 0.5}, {1, 0}}).delta, 1);
  EXPECT_EQ(replaced({{1000, 0}}).delta, 0);
}

TEST(Group, RefusesWhatIsOutOfRange) {
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(group(bad, 0, 1), InvalidArgument);
    EXPECT_THROW(group(1, bad, 1), InvalidArgument);
    EXPECT_THROW(group(1, 0, bad), InvalidArgument);
    EXPECT_THROW(parallel_composition(Parts{{bad, 0}}, Adjacency::replace_one, PartOf::record_content),
                 InvalidArgument);
    EXPECT_THROW(parallel_composition(Parts{{1, bad}}, Adjacency::replace_one, PartOf::record_content),
                 InvalidArgument);
  }
  EXPECT_THROW(group(1, 0, 0), InvalidArgument);
  EXPECT_THROW(group(1, 0, 2.5), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
