#include "dpbudget/accounting/loss_distribution/releases/discrete_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(DiscreteGaussianPieces, HaveTheMechanismsProfile, ()) {
  const double sigma = log_uniform(0.05, 100);
  const auto log_delta = [&](double e) { return profile::discrete_gaussian_log_delta(e, sigma, 1); };
  const Cut cut{1, log_uniform(1e-100, 1e-3)};
  const Pieces pieces = discrete_gaussian_pieces(sigma, cut);
  testing::expect_mechanism(pieces, 17, log_delta, log_delta);
  testing::expect_little_left_out(pieces, cut);
}

TEST(DiscreteGaussianPieces, AreAtomsAlsoWhenTheNoiseIsWide) {
  const Pieces pieces = discrete_gaussian_pieces(1e4, {1, 1e-15});
  testing::expect_well_formed(pieces);
  for (const Piece& piece : pieces.pieces) EXPECT_EQ(piece.low, piece.high);
}

TEST(DiscreteGaussianPieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -1.0, 1e-200, 1e7, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(discrete_gaussian_pieces(bad, {1, 1e-15}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
