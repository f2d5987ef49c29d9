#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::normal_mass;
using dpbudget::testing::Precise;

// Masses of the cell in 100 digits against those of `pair`, within the errors it declares.
void expect_cell(const GaussianPair& pair, double noise, double from, double to) {
  const Precise mean = 1 / (2 * Precise(noise));
  const Precise p = normal_mass(from - mean, to - mean);
  const Precise q = normal_mass(from + mean, to + mean);
  const NormalCell cell = pair.cell(from, to);
  const double farthest = std::max(std::isinf(from) ? 0 : std::abs(from), std::isinf(to) ? 0 : std::abs(to));
  const PieceErrors errors = pair.errors(farthest, farthest / noise);
  SCOPED_TRACE(::testing::Message() << from << " to " << to << ", noise " << noise);
  if (p >= least_mass) {
    EXPECT_LE(abs(cell.p / p - 1), errors.mass);
  }
  if (q >= least_mass) {
    EXPECT_LE(abs(cell.q / q - 1), errors.mass);
  }
  EXPECT_LE(abs(cell.log_ratio - log(p / q)), errors.barycentre);
}

RC_GTEST_PROP(GaussianPair, CutsCellsOfEveryWidthWithinItsErrors, ()) {
  const double noise = log_uniform(0.02, 1e5);
  const GaussianPair pair(noise);
  const double sign = *rc::gen::arbitrary<bool>() ? 1 : -1;
  const double around = *rc::gen::arbitrary<bool>() ? pair.mean() : 0;
  const double from = sign * (around + (*rc::gen::inRange(-3600, 3601)) / 100.0);
  const double to = from + log_uniform(1e-8, 20);
  expect_cell(pair, noise, from, to);
  expect_cell(pair, noise, -infinity, to);
  expect_cell(pair, noise, from, infinity);
}

TEST(GaussianPair, CutsCellsAtTheEdgesOfItsMethods) {
  for (const double noise : {0.02, 0.5, 1e4})
    for (const double width : {0.4999, 0.5, 0.50001, 1e-4, 0.99e-4, 0.02})
      for (const double from : {-0.25, 0.0, 1.0, 1 / noise, 0.5 / noise, -0.5 / noise, 2.0, 30.0})
        expect_cell(GaussianPair(noise), noise, from, from + width);
}

RC_GTEST_PROP(GaussianPair, BoundsItsTails, ()) {
  const double noise = log_uniform(0.05, 1e4);
  const double tail = log_uniform(1e-280, 0.1);
  const GaussianPair pair(noise);
  const double t = pair.tail_point(tail);
  const Precise mean = 1 / (2 * Precise(noise));
  RC_ASSERT(dpbudget::testing::upper_tail(t - mean) <= tail);
  RC_ASSERT(pair.p_above(t) >= dpbudget::testing::upper_tail(t - mean));
  RC_ASSERT(pair.q_above(t) >= dpbudget::testing::upper_tail(t + mean));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
