#include "dpbudget/accounting/contour/noise_group.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/random_event.h"

namespace dpbudget::contour {
namespace {

SampleKind random_kind() {
  return *rc::gen::element(SampleKind::remove, SampleKind::add, SampleKind::without_replacement);
}

// accounting/contour/proofs.md, 8.5 and 8.6
RC_GTEST_PROP(NoiseGroupProperty, InterpolatesToWithinTheErrorsOfBoth, ()) {
  const SamplePair pair{random_kind(), testing::log_uniform(1e-4, 0.5)};
  const double noise = testing::log_uniform(0.7, 30);
  const double spread = testing::log_uniform(1e-9, 0.6);
  std::vector<SampledNoise> members;
  for (int i = *rc::gen::inRange(66, 100); i > 0; --i)
    members.push_back({.noise_multiplier = noise * std::exp(spread * *rc::gen::inRange(0, 1000) / 2000.0)});
  const double c = testing::log_uniform(0.05, 1) * 8 * noise;
  const double s = testing::log_uniform(0.01, 5) * (c + 1);
  NoiseGroup group(pair, members, c, s);
  RC_CLASSIFY(group.is_interpolated());
  const auto at = group.at(c);
  std::vector<double> real;
  std::vector<double> imaginary;
  const double error = group.evaluate(at, s, real, imaginary);
  for (std::size_t i = 0; i < members.size(); i += 7) {
    NoiseGroup alone(pair, {members[i]}, c, s);
    const auto there = alone.at(c);
    std::vector<double> expected_real;
    std::vector<double> expected_imaginary;
    const double own = alone.evaluate(there, s, expected_real, expected_imaginary);
    RC_ASSERT(std::hypot(real[i] - expected_real[0], imaginary[i] - expected_imaginary[0]) <= error + own);
    RC_ASSERT(std::abs(at.moments.value[i] - there.moments.value[0]) <= at.moments.error[0] + there.moments.error[0]);
    RC_ASSERT(at.moments.error[0] <= 2e-8 * there.moments.value[0] + 1e-10);
  }
}

TEST(NoiseGroup, InterpolatesMany) {
  std::vector<SampledNoise> members;
  for (int i = 0; i < 200; ++i) members.push_back({.noise_multiplier = 1 + i / 1000.0});
  for (const SampleKind kind : {SampleKind::remove, SampleKind::add, SampleKind::without_replacement}) {
    NoiseGroup group({kind, 0.01}, members, 8, 30);
    EXPECT_TRUE(group.is_interpolated());
    const auto at = group.at(6);
    EXPECT_LT(at.moments.error[0], 1e-9 * at.moments.value[0]);
  }
}

}  // namespace
}  // namespace dpbudget::contour
