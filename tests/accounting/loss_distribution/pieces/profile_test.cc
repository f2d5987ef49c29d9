#include "dpbudget/accounting/loss_distribution/pieces/profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

Profile gaussian_profile(double noise) {
  const double mean = 0.5 / noise;
  return {.p_above = [=](double x) { return numeric::upper_tail(x * noise - mean); },
          .q_above = [=](double x) { return numeric::upper_tail(x * noise + mean); },
          .p_below = [=](double x) { return numeric::upper_tail(mean - x * noise); },
          .q_below = [=](double x) { return numeric::upper_tail(-mean - x * noise); },
          .relative_error = 1e-13};
}

RC_GTEST_PROP(ProfilePieces, OfTheGaussianHaveItsProfile, ()) {
  const double noise = log_uniform(0.1, 1e3);
  const Cut cut{log_uniform(0.01, 1) / noise, log_uniform(1e-15, 1e-3)};
  const auto log_delta = [&](double e) { return profile::gaussian_log_delta(e, noise); };
  testing::expect_mechanism(profile_pieces(gaussian_profile(noise), cut), 17, log_delta, log_delta);
}

TEST(ProfilePieces, AgreeWithTheGaussiansOwn) {
  const Pieces own = gaussian_pieces(1, {0.1, 1e-12});
  const Pieces general = profile_pieces(gaussian_profile(1), {0.1, 1e-12});
  for (const Piece& piece : general.pieces) {
    const auto same = std::ranges::find(own.pieces, piece.low, &Piece::low);
    if (same == own.pieces.end()) continue;
    EXPECT_NEAR(piece.p, same->p, 2 * general.errors.mass * same->p);
    EXPECT_NEAR(piece.barycentre, same->barycentre, general.errors.barycentre + own.errors.barycentre);
  }
}

TEST(ProfilePieces, CountCellsTheyCannotResolveAsLeftOut) {
  // Tails in error by 1e-5 say nothing of cells that hold less than a hundredth of them.
  Profile rough = gaussian_profile(1);
  rough.relative_error = 1e-5;
  const Pieces pieces = profile_pieces(rough, {1e-3, 1e-6});
  EXPECT_LE(pieces.errors.mass, 3e-3);
  EXPECT_GT(pieces.p_above, 0.01);
  testing::expect_well_formed(pieces);
}

TEST(ProfilePieces, CarryTheMassAtInfinityAndSkipGaps) {
  // One of two losses, -1 and 1, or infinity.
  const double q_low = 0.8 / (1 + std::exp(-1.0));
  const double p_low = 0.8 - q_low;
  const Profile two = {.p_above = [=](double x) { return x < -1  ? 0.8
                                                         : x < 1 ? 0.8 - p_low
                                                                 : 0; },
                       .q_above = [=](double x) { return x < -1  ? 0.8
                                                         : x < 1 ? 0.8 - q_low
                                                                 : 0; },
                       .p_below = [=](double x) { return x < -1  ? 0
                                                         : x < 1 ? p_low
                                                                 : 0.8; },
                       .q_below = [=](double x) { return x < -1  ? 0
                                                         : x < 1 ? q_low
                                                                 : 0.8; },
                       .relative_error = 1e-15,
                       .p_at_infinity = 0.2,
                       .q_at_infinity = 0.2};
  const Pieces pieces = profile_pieces(two, {0.25, 1e-9});
  testing::expect_well_formed(pieces);
  ASSERT_EQ(pieces.pieces.size(), 2U);
  EXPECT_EQ(pieces.pieces[0].high, -1);
  EXPECT_NEAR(pieces.pieces[0].p, p_low, 1e-12);
  EXPECT_EQ(pieces.pieces[1].high, 1);
  EXPECT_LE(pieces.p_above, 1e-12);
}

TEST(ProfilePieces, RefuseWhatIsOutOfRange) {
  Profile bad = gaussian_profile(1);
  for (const double error : {-1e-9, 0.1, std::numeric_limits<double>::quiet_NaN()}) {
    bad.relative_error = error;
    EXPECT_THROW(profile_pieces(bad, {0.1, 1e-9}), InvalidArgument);
  }
  EXPECT_THROW(profile_pieces(gaussian_profile(1), {1e-8, 1e-9}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
