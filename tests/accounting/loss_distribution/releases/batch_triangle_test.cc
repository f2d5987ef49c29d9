#include "dpbudget/accounting/loss_distribution/releases/batch_triangle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "accounting/loss_distribution/releases/batch_pairs.h"
#include "accounting/random_event.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// By cells of outcomes, which tell no more.
double told_by_cells(const BatchTriangle& triangle, double ratio, double rate) {
  double sum = 0;
  for (const auto& [p, q] : testing::outcomes(triangle, rate, 0.05)) sum += std::max(0.0, p - ratio * q);
  return sum / rate;
}

// accounting/loss_distribution/proofs.md, 4k.4 and 4k.5
RC_GTEST_PROP(BatchHockeyStick, IsThatOfTheOutcomesOrALittleMore, ()) {
  const double slant = log_uniform(1e-3, 1.2);
  const double turn = (std::numbers::pi / 2 - slant) * (log_uniform(1e-3, 2) - 1);
  const double rate = log_uniform(1e-3, 0.5);
  const BatchTriangle triangle = testing::in_ball(slant, turn, log_uniform(0.5, 4));
  const double others = log_uniform(1e-2, 30);
  const double ratio = 1 + rate / (1 - rate) * others;
  const double told = told_by_cells(triangle, ratio, rate);
  const double bound = batch_hockey_stick(triangle, ratio, others);
  RC_ASSERT(bound >= told - 1e-12);
  RC_ASSERT(bound <= 1.15 * told + 4e-3);
}

// accounting/loss_distribution/proofs.md, 4k.4
TEST(BatchHockeyStick, IsExactWhereAllThreeAreOnALine) {
  for (const double foot : {-0.5, -0.2, 0.0, 0.3, 0.5})
    for (const double others : {0.0, 0.3, 2.0, 20.0}) {
      const BatchTriangle triangle{1, foot, 0};
      const double ratio = 1 + 0.1 / 0.9 * others;
      const double told = told_by_cells(triangle, ratio, 0.1);
      EXPECT_GE(batch_hockey_stick(triangle, ratio, others), told - 1e-13);
      EXPECT_LE(batch_hockey_stick(triangle, ratio, others), told * 1.01 + 1e-4) << foot << ' ' << others;
    }
}

// accounting/loss_distribution/proofs.md, 4k.2
TEST(BatchChiSquared, OfDistancesAloneIsMoreThanOfABall) {
  const BatchTriangle equilateral{1, 0, std::sqrt(0.75)};
  const BatchTriangle remove{1, -0.5, 0};
  EXPECT_NEAR(batch_chi_squared(equilateral), 2.139, 1e-3);
  EXPECT_NEAR(batch_chi_squared(remove), std::numbers::e - 1, 1e-12);
}

// accounting/loss_distribution/proofs.md, 4k.3
TEST(BatchChiSquared, OfTrianglesInsideIsNoMoreThanOfOnesInTheCircle) {
  for (int i = 0; i < 400; ++i) {
    // Points of the disc of diameter 1, by the golden ratio.
    const auto point = [&](int k) {
      const double angle = 2.39996 * (i * 3 + k);
      const double radius = 0.5 * std::sqrt(std::fmod(0.618034 * (i * 5 + k * 7 + 1), 1.0));
      return std::pair(radius * std::cos(angle), radius * std::sin(angle));
    };
    const auto [ax, ay] = point(0);
    const auto [bx, by] = point(1);
    const auto [yx, yy] = point(2);
    const double side = std::hypot(ax - bx, ay - by);
    const double foot = ((yx - (ax + bx) / 2) * (ax - bx) + (yy - (ay + by) / 2) * (ay - by)) / side;
    const double height = std::abs((yx - bx) * (ay - by) - (yy - by) * (ax - bx)) / side;
    EXPECT_LE(batch_chi_squared({side, foot, height}), std::numbers::e - 1 + 1e-12);
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
