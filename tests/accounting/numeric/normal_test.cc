#include "dpbudget/accounting/numeric/normal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"

namespace dpbudget::numeric {

namespace {

// accounting/numeric/proofs.md, 2.1 and 2.2
RC_GTEST_PROP(Normal, TailsKeepTheirDigits, ()) {
  const double x = testing::log_uniform(1e-6, 1e3);
  const testing::Precise truth = testing::upper_tail(x);
  const testing::Precise density =
      exp(-testing::Precise(x) * x / 2) / sqrt(2 * boost::math::constants::pi<testing::Precise>());
  RC_ASSERT(abs(mills_ratio(x) / (truth / density) - 1) < 0x1p-47);
  RC_ASSERT(abs(log_upper_tail(x) - log(truth)) < (4 + x * x) * 0x1p-49);
  RC_ASSERT(abs(log_upper_tail(-x) - log1p(-truth)) < (4 + x * x) * 0x1p-49);
}

// accounting/numeric/proofs.md, 2.3
RC_GTEST_PROP(Normal, TailPointsAreFarEnoughAndHardlyFarther, ()) {
  const double probability = testing::log_uniform(1e-300, 0.5);
  RC_ASSERT(testing::upper_tail(tail_point(probability)) <= probability);
  RC_ASSERT(testing::upper_tail(tail_point(probability) - 1.2) >= probability);
}

RC_GTEST_PROP(Normal, MassesAreDifferencesOfTails, ()) {
  const double from = (*rc::gen::inRange(0, 2) == 0 ? -1 : 1) * testing::log_uniform(1e-6, 30);
  const double to = from + testing::log_uniform(1e-3, 30);
  const testing::Precise truth = testing::normal_mass(from, to);
  const double nearer = from > 0 ? from : std::max(0.0, -to);
  RC_ASSERT(abs(normal_mass(from, to) - truth) <= (2 + nearer * nearer / 8) * 0x1p-48 * testing::upper_tail(nearer));
  RC_ASSERT(normal_mass(from, to) == normal_mass(-to, -from));
}

TEST(Normal, AllIsWithinReachOfACertainTail) { EXPECT_NEAR(tail_point(1), 0, 1e-12); }

}  // namespace
}  // namespace dpbudget::numeric
