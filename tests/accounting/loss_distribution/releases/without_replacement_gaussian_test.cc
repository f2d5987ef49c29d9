#include "dpbudget/accounting/loss_distribution/releases/without_replacement_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/subsampled_gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

RC_GTEST_PROP(WithoutReplacementGaussianPieces, HaveTheProfileOfTheirTradeOff, ()) {
  const double rate = log_uniform(1e-9, 1);
  const double noise = log_uniform(0.05, 1e4);
  const double reach = (0.5 / noise + 12) / noise;  // of the unsampled losses
  const double step = log_uniform(1e-3, 0.3) * std::log1p(rate * std::expm1(std::min(reach, 600.0)));
  const auto log_delta = [&](double e) { return profile::subsampled_gaussian_log_delta(rate, 1 / noise, e); };
  const Cut cut{step, log_uniform(1e-100, 1e-3)};
  const Pieces pieces = without_replacement_gaussian_pieces(rate, noise, cut);
  testing::expect_mechanism(pieces, 89, log_delta, log_delta, 1e-9);
  testing::expect_little_left_out(pieces, cut);
}

TEST(WithoutReplacementGaussianPieces, HaveAnAtomAtZeroUnlessAllAreDrawn) {
  const auto atoms = [](double rate) {
    const Pieces pieces = without_replacement_gaussian_pieces(rate, 1, {0.1, 1e-9});
    return std::ranges::count_if(pieces.pieces, [](const Piece& piece) { return piece.low == piece.high; });
  };
  EXPECT_EQ(atoms(0.5), 1);
  EXPECT_EQ(atoms(1), 0);
}

TEST(WithoutReplacementGaussianPieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(without_replacement_gaussian_pieces(bad, 1, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_pieces(0.1, -1, {0.1, 1e-9}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
