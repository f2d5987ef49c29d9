#include "dpbudget/accounting/loss_distribution/releases/laplace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(LaplacePieces, HaveTheMechanismsProfile, ()) {
  const double scale = log_uniform(1e-3, 1e6);
  // delta(e) = 1 - e^{(e - 1/scale)/2} for |e| <= 1/scale.
  const auto log_delta = [&](double e) { return std::log(-std::expm1(std::min(0.0, (e - 1 / scale) / 2))); };
  testing::expect_mechanism(laplace_pieces(scale, {log_uniform(1e-3, 3) / scale, 1e-9}), 7, log_delta, log_delta);
}

TEST(LaplacePieces, EndAtTheLargestLoss) {
  const Pieces pieces = laplace_pieces(2, {0.3, 1e-9});
  EXPECT_EQ(pieces.pieces.size(), 6U);
  EXPECT_EQ(pieces.pieces.front().low, -0.5);
  EXPECT_EQ(pieces.pieces.back().high, 0.5);
  EXPECT_EQ(pieces.pieces.back().p, 0.5);
  EXPECT_EQ(pieces.p_above, 0);
}

TEST(LaplacePieces, SurviveLossesBeyondTheRangeOfTheExponential) {
  testing::expect_well_formed(laplace_pieces(1e-4, {1e4, 1e-9}));
  testing::expect_well_formed(laplace_pieces(1e-4, {3, 1e-9}));
}

TEST(LaplacePieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -1.0, 1e-320, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(laplace_pieces(bad, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(laplace_pieces(1, {1e-9, 1e-9}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
