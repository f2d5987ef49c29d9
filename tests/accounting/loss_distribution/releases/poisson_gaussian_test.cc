#include "dpbudget/accounting/loss_distribution/releases/poisson_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/profile/poisson_gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

void expect_both_directions(double rate, double noise, const Cut& cut) {
  SCOPED_TRACE(::testing::Message() << "rate " << rate << " noise " << noise << " step " << cut.step);
  const Pieces pieces = poisson_gaussian_pieces(rate, noise, cut);
  testing::expect_little_left_out(pieces, cut);
  testing::expect_mechanism(
      pieces, 89,
      [&](double e) { return profile::poisson_gaussian_log_delta(rate, noise, e, profile::Direction::remove); },
      [&](double e) { return profile::poisson_gaussian_log_delta(rate, noise, e, profile::Direction::add); }, 1e-9);
}

RC_GTEST_PROP(PoissonGaussianPieces, HaveTheMechanismsProfileInBothDirections, ()) {
  const double rate = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 1) : 1 - log_uniform(1e-12, 1);
  const double noise = log_uniform(0.05, 1e4);
  const double reach = (0.5 / noise + 12) / noise;  // of the unsampled losses
  const double step = log_uniform(1e-3, 0.3) * std::log1p(rate * std::expm1(std::min(reach, 600.0)));
  expect_both_directions(rate, noise, {step, log_uniform(1e-100, 1e-3)});
}

TEST(PoissonGaussianPieces, HoldAtTheExtremes) {
  expect_both_directions(1e-9, 0.05, {0.1, 1e-20});
  expect_both_directions(1e-9, 1e5, {1e-15, 1e-20});
  expect_both_directions(1 - 1e-15, 0.3, {1e-2, 1e-200});
  expect_both_directions(0.2, 1e4, {1e-6, 1e-15});
  expect_both_directions(0.01, 1, {1e-4, 1e-15});
  expect_both_directions(0.5, 0.3, {1e-2, 1e-300});
}

TEST(PoissonGaussianPieces, AreTheGaussiansAtRateOne) {
  const Pieces sampled = poisson_gaussian_pieces(1, 0.7, {0.1, 1e-9});
  const Pieces whole = gaussian_pieces(0.7, {0.1, 1e-9});
  for (const Piece& piece : sampled.pieces) {
    const auto same = std::ranges::find(whole.pieces, piece.low, &Piece::low);
    if (same == whole.pieces.end()) continue;
    EXPECT_DOUBLE_EQ(piece.p, same->p);
    EXPECT_EQ(piece.barycentre, same->barycentre);
  }
}

TEST(PoissonGaussianPieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(poisson_gaussian_pieces(bad, 1, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(poisson_gaussian_pieces(0.1, 0, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(poisson_gaussian_pieces(0.1, 1, {1e-9, 1e-9}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
