#include "dpbudget/accounting/shuffle/vector_sum/published_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

TEST(PublishedScalarSum, HasTheFormulas) {
  // 180 * 400 * log(2e6) / 100 = 10446.23...; p = 90 * 400 * log(2e6) / (10447 * 100).
  const PublishedSum published = published_scalar_sum(1, 1e-6, 1, 100, 20);
  EXPECT_EQ(published.sum.bits, 10447U);
  EXPECT_NEAR(published.sum.probability, 90 * 400 * std::log(2e6) / (10447.0 * 100), 1e-15);
  EXPECT_EQ(published.sum.dimension, 1U);
  EXPECT_DOUBLE_EQ(published.epsilon, 1.1);
  const double p = published.sum.probability;
  EXPECT_NEAR(published.variance, (100 * 10447 * p * (1 - p) + 25) / 400, 1e-9);
  EXPECT_DOUBLE_EQ(published_scalar_epsilon(1, 0.5, 1, 20), 0.6);
}

TEST(PublishedVectorSum, IsTheScalarOneWithASmallerBudget) {
  const PublishedSum vector = published_vector_sum(1, 1e-6, 0.5, 100, 20, 9);
  const PublishedSum scalar = published_scalar_sum(1 / (18 * std::sqrt(std::log(1e6))), 1e-7, 1, 100, 20);
  EXPECT_EQ(vector.sum.bits, scalar.sum.bits);
  EXPECT_NEAR(vector.variance, scalar.variance, 1e-9 * scalar.variance);
  EXPECT_EQ(vector.epsilon, 1);
}

// With hardly any coins a sum of zeros is likely for one value and impossible for the other.
TEST(PublishedSums, BreakTheirPromiseAtItsEdge) {
  const PublishedSum found = published_scalar_sum(15, 0.01, 1, 1, 1);
  EXPECT_EQ(found.sum.bits, 5U);
  EXPECT_NEAR(found.epsilon, 45, 1e-12);
  EXPECT_GE(vector_sum_delta(found.sum, found.epsilon).bound.lower, 0.06);
}

// What the paper claims is proven here for usual epsilons, with room to spare: the published noise is far more than is
// needed.
RC_GTEST_PROP(PublishedSums, KeepTheirPromiseElsewhere, ()) {
  const double epsilon = log_uniform(0.05, 5);
  const double delta = log_uniform(1e-12, 0.1);
  const auto users = static_cast<std::uint64_t>(log_uniform(1, 1e5));
  const double bound = log_uniform(0.01, 1);
  const auto granularity =
      static_cast<std::uint64_t>(std::ceil(2 * bound * std::sqrt(static_cast<double>(users)) * log_uniform(1, 4)));
  const auto dimension = static_cast<std::uint64_t>(log_uniform(1, 200));
  const PublishedSum scalar = published_scalar_sum(epsilon, delta, bound, users, granularity);
  RC_ASSERT(scalar.sum.probability < 0.5);
  RC_ASSERT(vector_sum_delta(scalar.sum, scalar.epsilon).bound.upper <= delta);
  const PublishedSum vector = published_vector_sum(epsilon, delta, bound, users, granularity, dimension);
  RC_ASSERT(vector_sum_delta(vector.sum, vector.epsilon).bound.upper <= delta);
}

TEST(PublishedSums, RefuseWhatIsOutOfRange) {
  const auto refused = [](const char* name, double epsilon, double delta, double bound, std::uint64_t users,
                          std::uint64_t granularity) {
    EXPECT_REFUSED(name, published_scalar_sum(epsilon, delta, bound, users, granularity));
    EXPECT_REFUSED(name, published_vector_sum(epsilon, delta, bound, users, granularity, 3));
  };
  for (const double bad : {0.0, -1.0, 15.1, 1e-12, nan}) refused("epsilon", bad, 1e-6, 1, 100, 20);
  for (const double bad : {0.0, 0.5, 1.0, nan}) refused("delta", 1, bad, 1, 100, 20);
  for (const double bad : {0.0, -1.0, nan}) refused("bound", 1, 1e-6, bad, 100, 20);
  refused("users", 1, 1e-6, 1, 0, 20);
  refused("users", 1, 1e-6, 1, std::uint64_t{1} << 60, 20);
  refused("granularity", 1, 1e-6, 1, 100, 9);  // it must be at least the range times sqrt(users)
  refused("granularity", 1, 1e-6, 1, 100, std::uint64_t{1} << 27);
  for (const std::uint64_t dimension : {1, 3})
    EXPECT_REFUSED("epsilon is 1e-300, ", published_vector_sum(1e-300, 1e-6, 1, 100, 20, dimension));
  EXPECT_REFUSED("dimension", published_vector_sum(1, 1e-6, 1, 100, 20, 0));
  EXPECT_REFUSED("distance", published_scalar_epsilon(1, 2, 1, 20));
  EXPECT_REFUSED("granularity", published_scalar_epsilon(1, 0.5, 1, 0));
  EXPECT_REFUSED("distance", published_scalar_epsilon(1, nan, 1, 20));
  EXPECT_REFUSED("bound", published_scalar_epsilon(1, 0, -1, 20));
  EXPECT_REFUSED("epsilon", published_scalar_epsilon(16, 0.5, 1, 20));
}

}  // namespace
}  // namespace dpbudget::shuffle
