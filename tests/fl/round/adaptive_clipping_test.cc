#include "dpbudget/fl/round/adaptive_clipping.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

ReleaseRun counted(std::uint64_t count, std::uint64_t sample, double count_below) {
  ReleaseRun run;
  run.count = count;
  run.sample = sample;
  run.count_below = count_below;
  return run;
}

// Three releases of a batch of 8 with 4, 5 and 3 below in all, and one of 16 with -2 for the noise.
TEST(ShareBelow, IsTheMeanOverReleases) {
  EXPECT_EQ(share_below(std::vector{counted(3, 8, 12), counted(1, 16, -2)}), (12.0 / 8 - 2.0 / 16) / 4);
}

// 0.5 exp(-0.2 (0.75 - 0.5)) is 0.475614712250357 to 15 digits (mpmath).
TEST(AdaptedNorm, FollowsTheMeanShareOfTheParticipants) {
  const auto run = settle(adaptive_clipping().run);
  EXPECT_NEAR(adapted_norm(run, 0.5, std::vector{1.0, 0.5}), 0.475614712250357, 1e-15);
  EXPECT_EQ(adapted_norm(run, 0.5, std::vector{0.5, 0.25, 0.75}), 0.5);
  EXPECT_EQ(adapted_norm(run, 0.5, {}), 0.5);
}

RC_GTEST_PROP(AdaptedNorm, FallsWhereMoreAreBelowThanAimedAt, ()) {
  auto run = adaptive_clipping().run;
  run.clip_quantile = static_cast<double>(*rc::gen::inRange(1, 100)) / 100;
  run.clip_learning_rate = static_cast<double>(*rc::gen::inRange(1, 100)) / 10;
  const SettledRun settled = settle(run);
  const double share = static_cast<double>(*rc::gen::inRange(-200, 300)) / 100;
  const double norm = adapted_norm(settled, 2, std::vector{share});
  RC_ASSERT((norm < 2) == (share > *run.clip_quantile));
  RC_ASSERT((norm > 2) == (share < *run.clip_quantile));
}

}  // namespace
}  // namespace dpbudget::fl
