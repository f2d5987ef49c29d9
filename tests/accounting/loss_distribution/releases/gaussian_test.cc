#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(GaussianPieces, HaveTheMechanismsProfile, ()) {
  const double noise = log_uniform(0.02, 1e5);
  const Cut cut{log_uniform(1e-3, 3) / noise, log_uniform(1e-200, 1e-3)};
  const auto log_delta = [&](double epsilon) { return profile::gaussian_log_delta(epsilon, noise); };
  const Pieces pieces = gaussian_pieces(noise, cut);
  testing::expect_mechanism(pieces, 97, log_delta, log_delta);
  testing::expect_little_left_out(pieces, cut);
}

TEST(GaussianPieces, KeepTheirMassesWhenThereAreMany) {
  const Pieces pieces = gaussian_pieces(1, {1e-5, 1e-20});
  EXPECT_GT(pieces.pieces.size(), 1000000U);
  testing::expect_profile(pieces, 9973, [](double epsilon) { return profile::gaussian_log_delta(epsilon, 1); });
}

TEST(GaussianPieces, AreCutAtMultiplesOfTheStep) {
  const Pieces pieces = gaussian_pieces(2, {0.25, 1e-3});
  EXPECT_EQ(pieces.pieces.front().low, -pieces.pieces.back().high);
  EXPECT_EQ(std::fmod(pieces.pieces.front().low, 0.25), 0);
  for (const Piece& piece : pieces.pieces) EXPECT_EQ(piece.high - piece.low, 0.25);
}

TEST(GaussianPieces, RefuseWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_THROW(gaussian_pieces(bad, {0.1, 1e-9}), InvalidArgument);
    EXPECT_THROW(gaussian_pieces(1, {bad, 1e-9}), InvalidArgument);
    EXPECT_THROW(gaussian_pieces(1, {0.1, bad}), InvalidArgument);
  }
  EXPECT_THROW(gaussian_pieces(1e-3, {1e-3, 1e-9}), Unsupported);  // a million losses in a thousandth each
}

}  // namespace
}  // namespace dpbudget::loss_distribution
