#include "dpbudget/mechanisms/clip.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/base/nan.h"
#include "dpbudget/accounting/base/infinity.h"
#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

RC_GTEST_PROP(ClipFactor, IsOneOverTheLargerOfOneAndTheRatio, ()) {
  const double norm = std::ldexp(*rc::gen::inRange(0, 1000000), *rc::gen::inRange(-60, 60));
  const double clip_norm = std::ldexp(*rc::gen::inRange(1, 1000000), *rc::gen::inRange(-60, 60));
  const double factor = clip_factor(norm, clip_norm);
  RC_ASSERT(std::abs(factor * std::max(1.0, norm / clip_norm) - 1) < 1e-15);
  RC_ASSERT(norm * factor <= clip_norm * (1 + 1e-15));
}

TEST(ClipFactor, InfinityClipsNothing) {
  EXPECT_EQ(clip_factor(1e300, infinity), 1);
  EXPECT_EQ(clip_factor(0, infinity), 1);
}

TEST(ClipFactor, TakesTheExtremes) {
  EXPECT_EQ(clip_factor(0, 1e-300), 1);
  EXPECT_EQ(clip_factor(1, 1), 1);
  EXPECT_DOUBLE_EQ(clip_factor(1e300, 1), 1e-300);
  EXPECT_EQ(clip_factor(1e300, 1e-300), 0);
}

TEST(ClipFactor, RefusesByName) {
  for (const double norm : {nan, infinity, -1.0}) EXPECT_REFUSED("norm", clip_factor(norm, 1));
  for (const double clip_norm : {nan, 0.0, -1.0, -infinity}) EXPECT_REFUSED("clip_norm", clip_factor(1, clip_norm));
}

TEST(Clip, ScalesToTheNormAndReturnsTheOneBefore) {
  Eigen::VectorXd value(2);
  value << 3, 4;
  EXPECT_EQ(clip(value, 10), 5);
  EXPECT_EQ(value(0), 3);
  EXPECT_EQ(clip(value, 1), 5);
  EXPECT_DOUBLE_EQ(value(0), 0.6);
  EXPECT_DOUBLE_EQ(value(1), 0.8);
}

TEST(Clip, TakesNormsWhoseSquareOverflows) {
  Eigen::VectorXd value(2);
  value << 3e200, 4e200;
  EXPECT_DOUBLE_EQ(clip(value, 1), 5e200);
  EXPECT_DOUBLE_EQ(value.norm(), 1);
}

TEST(Clip, RefusesByNameAndChangesNothing) {
  for (const double bad : {nan, infinity, -infinity})
    for (Eigen::Index size : {1, 2, 3, 7, 16})
      for (Eigen::Index at = 0; at < size; ++at)
        for (const double rest : {0.0, 1.0}) {
          Eigen::VectorXd value = Eigen::VectorXd::Constant(size, rest);
          value(at) = bad;
          EXPECT_REFUSED("norm", clip(value, 1));
        }
  Eigen::VectorXd value = Eigen::VectorXd::Ones(2);
  EXPECT_REFUSED("clip_norm", clip(value, nan));
  EXPECT_EQ(value(0), 1);
}

}  // namespace
}  // namespace dpbudget::mechanisms
