#include "dpbudget/accounting/approximate/shuffled_curve.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/approximate/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/closed_forms.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(ShuffledCurve, MeetsDeltaWithItsFailures, ()) {
  const double local_epsilon = log_uniform(0.01, 8);
  const double local_delta = log_uniform(1e-30, 1e-4);
  const double reports = std::floor(log_uniform(1, 1e6));
  const double delta = log_uniform(1e-12, 0.1);
  const CurvePtr curve = shuffled_curve(local_epsilon, local_delta, reports);
  const double found = curve->epsilon(delta);
  if (found < local_epsilon) {
    const double failures = (std::exp(found) + 1) * (1 + std::exp(-local_epsilon) / 2) * reports * local_delta;
    const double rest = std::exp(log_delta(shuffle::clones(local_epsilon, reports), found, {0}).middle());
    RC_ASSERT(rest + failures <= delta * (1 + 1e-9));
  } else {
    RC_ASSERT(found == local_epsilon || std::isinf(found));
    RC_ASSERT(std::isinf(found) == (delta < local_delta));
  }
  RC_ASSERT(curve->epsilon(delta / 2) >= found * (1 - 2e-4));
}

// Theorem 3.8's closed form is weaker.
TEST(ShuffledCurve, IsAtMostTheClosedForm) {
  const EpsilonDelta closed = shuffle::clones_closed_form_approximate(1, 1e-15, 1e4, 1e-6);
  EXPECT_LT(shuffled_curve(1, 1e-15, 1e4)->epsilon(closed.delta), closed.epsilon);
}

TEST(ShuffledCurve, IsAnAccountantsLeaf) {
  const auto spent = [](const char* plan) { return epsilon(parse_plan(plan), 1e-6).upper; };
  EXPECT_NEAR(spent("shuffle(10000, approximate(1, 1e-20)) under replace_one"), 0.053006, 1e-5);
  EXPECT_NEAR(spent("shuffle(10000, rr(1)) under replace_one"), 0.053006, 1e-5);
  EXPECT_EQ(spent("shuffle(10000, approximate(1, 1e-9)) under replace_one"), 1);
  EXPECT_EQ(spent("shuffle(10000, pure(0)) under replace_one"), 0);
  // Beyond what a clone's odds can be held in, the local guarantee is left.
  EXPECT_NEAR(spent("shuffle(10000, approximate(1000, 1e-9)) under replace_one"), 1000, 1e-5);
  EXPECT_LE(spent("shuffle(10000, pure(1000)) under replace_one"), 1000);
  EXPECT_LE(spent("shuffle(10000, pure(1000), 3) under replace_one"), 1000);
  EXPECT_THROW(spent("shuffle(10000, gaussian(1)) under replace_one"), Unsupported);
  EXPECT_THROW(spent("shuffle(10000, rr(1)) under add_or_remove_one"), Unsupported);
}

}  // namespace
}  // namespace dpbudget::approximate
