#include "dpbudget/accounting/shuffle/clones/moment_series.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/renyi/shuffled.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

double log_of_one_more(double log_value) { return numeric::log_add(log_value, 0); }

// The sums over outcomes of 5.2, and over numbers of clones at equal distances.
// accounting/shuffle/proofs.md, 5.4 and 5.5
RC_GTEST_PROP(MomentSeries, IsSomeThousandthsAboveTheSumOverOutcomes, ()) {
  const double local_epsilon = log_uniform(1e-3, 8);
  const ClonePair pair = clones(local_epsilon, std::floor(log_uniform(2, 2e5)));
  // Up to where X is little like a normal variable.
  const double order = 1 + log_uniform(1e-7, 0.2) * (pair.count.mode() + 1) / std::tanh(local_epsilon / 2);
  const std::optional<double> found = MomentSeries(pair).log_excess(order);
  if (!found) RC_DISCARD("not close enough to say");
  const double truth = (order - 1) * renyi_divergence(pair, order);
  RC_ASSERT(log_of_one_more(*found) >= truth * (1 - 1e-9));
  RC_ASSERT(log_of_one_more(*found) <= truth * 1.004);
}

// The same as orders in any other sequence say.
RC_GTEST_PROP(MomentSeries, ForgetsNoOrder, ()) {
  const ClonePair pair = clones(log_uniform(1e-2, 4), std::floor(log_uniform(100, 1e5)));
  MomentSeries series(pair);
  for (int asked = 0; asked < 4; ++asked) {
    const double order = 1 + log_uniform(1e-2, 1e4);
    RC_ASSERT(series.log_excess(order) == MomentSeries(pair).log_excess(order));
  }
}

TEST(MomentSeries, SaysSomethingWhereManyReportsHideOne) {
  for (const double order : {1.001, 2.0, 30.5, 1000.0, 1e4, 1e5}) {
    const std::optional<double> found = MomentSeries(clones(1, 1e6)).log_excess(order);
    ASSERT_TRUE(found) << order;
  }
  EXPECT_TRUE(MomentSeries(clones(4, 0x1p53)).log_excess(1e7));
  EXPECT_TRUE(MomentSeries(clones(1e-9, 10)).log_excess(1e3));
  EXPECT_FALSE(MomentSeries(clones(1, 10)).log_excess(1e3));
  EXPECT_FALSE(MomentSeries(clones(1, 1e6)).log_excess(1e300));
}

// accounting/shuffle/proofs.md, 5.4
TEST(MomentSeries, MomentsOfMeansOfSignsFallByTheirBound) {
  for (const int m : {1, 2, 3, 5, 10, 40, 200}) {
    const auto moment = [&](int power) {
      long double sum = 0;
      for (int b = 0; b <= m; ++b)
        sum += std::exp(std::lgamma(m + 1.0L) - std::lgamma(b + 1.0L) - std::lgamma(m - b + 1.0L)) *
               std::pow((2.0L * b - m) / m, 2 * power);
      return sum;
    };
    for (int k = 1; k <= 3 * m; ++k) {
      const long double u = 2.0L * k / (3 * m) * std::pow((m - 1.0L) / m, 2 * k - 2);
      EXPECT_LE(moment(k + 1), moment(k) * (2 * k + 1) / m * (1 - u) * (1 + 1e-15L)) << m << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace dpbudget::shuffle
