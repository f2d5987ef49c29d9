#include "dpbudget/accounting/approximate/grouped_curve.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/group.h"
#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;

// What the lemma says of one delta inside, for a delta that it keeps to.
double at_inner_delta(const Curve& inner, double records, double inner_delta) {
  return records * inner.epsilon(inner_delta);
}

// accounting/plan/proofs.md, 1.2
RC_GTEST_PROP(GroupedCurve, IsTheBestOfTheLemma, ()) {
  const CurvePtr inner = gaussian_curve(log_uniform(2, 50));  // below it no inner delta is small enough
  const double records = *rc::gen::inRange(2, 30);
  const double delta = log_uniform(1e-12, 0.1);
  const double found = grouped_curve(records, inner)->epsilon(delta);
  for (double inner_delta = delta; inner_delta > 1e-290; inner_delta /= 3) {
    const double once = inner->epsilon(inner_delta);
    if (group(once, inner_delta, records).log_delta > std::log(delta)) continue;
    RC_ASSERT(found <= at_inner_delta(*inner, records, inner_delta) * (1 + 1e-9));
    break;
  }
  // A Gaussian's group is a Gaussian, and costs no more.
  RC_ASSERT(std::isfinite(found));
}

TEST(GroupedCurve, IsNeverBelowTheGroupItself) {
  for (const double records : {2.0, 7.0})
    for (const double noise : {2.0, 30.0})
      for (const double delta : {1e-2, 1e-8})
        EXPECT_GE(grouped_curve(records, gaussian_curve(noise))->epsilon(delta),
                  gaussian_curve(noise / records)->epsilon(delta));
}

TEST(GroupedCurve, OfGuaranteesIsTheLemma) {
  EXPECT_EQ(grouped_curve(3, approximate_dp_curve(0.5, 0))->epsilon(0), 1.5);
  const CurvePtr failing = grouped_curve(3, approximate_dp_curve(0.5, 1e-4));
  EXPECT_NEAR(failing->least_delta(), 1e-4 * (1 + std::exp(0.5) + std::exp(1.0)), 1e-12);
  EXPECT_LE(failing->epsilon(failing->least_delta() * 1.001), 1.5);
  EXPECT_EQ(grouped_curve(3, gaussian_curve(1))->epsilon(0), infinity);
}

}  // namespace
}  // namespace dpbudget::approximate
