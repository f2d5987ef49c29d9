#include "dpbudget/accounting/loss_distribution/releases/blanket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "dpbudget/accounting/shuffle/blanket/finite_randomizer.h"
#include "mechanisms/refused.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

void expect_own_reverse(const Pieces& pieces) {
  double p = pieces.p_at_infinity;
  for (std::size_t i = 0; i < pieces.pieces.size(); ++i) {
    const Piece& piece = pieces.pieces[i];
    const Piece& mirrored = pieces.pieces[pieces.pieces.size() - 1 - i];
    RC_ASSERT(piece.p == mirrored.q && piece.low == -mirrored.low && piece.low == piece.high);
    // RC_ASSERT evaluates both sides of an `||`.
    if (i > 0) RC_ASSERT(pieces.pieces[i - 1].low < piece.low);
    p += piece.p;
  }
  RC_ASSERT(std::abs(p - 1) < 1e-9);
}

// Mixtures of randomised responses, whose points are known too high by up to a factor.
// accounting/shuffle/blanket/proofs.md, 7.1
RC_GTEST_PROP(BlanketPieces, DominateWhateverIsBelowThePoints, ()) {
  struct Response {
    double epsilon;
    double weight;
  };
  std::vector<Response> responses;
  double left = 1;
  for (int i = 0; i < 4; ++i) {
    responses.push_back({log_uniform(1e-3, 5), left * *rc::gen::inRange(0, 1001) * 1e-3});
    left -= responses.back().weight;
  }
  const auto profile = [&](double epsilon) {
    double delta = 0;
    for (const Response& r : responses)
      delta += r.weight * std::max(0.0, std::exp(r.epsilon) - std::exp(epsilon)) / (1 + std::exp(r.epsilon));
    return delta;
  };
  std::vector<ProfilePoint> points;
  const double step = log_uniform(1e-3, 1);
  const double loose = *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-6, 1);
  const int count = *rc::gen::inRange(2, 12);
  for (int i = 0; i < count; ++i)
    points.push_back({i * step, std::min(1.0, profile(i * step) * (1 + loose * *rc::gen::inRange(0, 1001) * 1e-3))});
  const Pieces pieces = dominating_pieces(points);
  expect_own_reverse(pieces);
  for (double epsilon = 0; epsilon < 6; epsilon += 0.3 * step + 0.01) {
    RC_LOG() << epsilon << ": " << profile(epsilon) << " " << testing::delta_of(pieces, epsilon);
    RC_ASSERT(testing::delta_of(pieces, epsilon) >= profile(epsilon) * (1 - 1e-10) - 1e-15);
  }
}

TEST(BlanketPieces, AreNoLargerThanAConvexProfile) {
  const auto profile = [](double epsilon) { return 0.1 * std::exp(-3 * epsilon); };
  std::vector<ProfilePoint> points;
  for (int i = 0; i <= 40; ++i) points.push_back({i * 0.1, profile(i * 0.1)});
  const Pieces pieces = dominating_pieces(points);
  for (const ProfilePoint& point : points)
    EXPECT_NEAR(testing::delta_of(pieces, point.epsilon), point.delta, 1e-9 * point.delta + 1e-12);
}

TEST(BlanketPieces, DominateTheShuffledReports) {
  const shuffle::Randomizer randomizers[] = {shuffle::randomized_response(1, 10), shuffle::subset_selection(2, 10, 3),
                                             shuffle::rappor(2, 5)};
  for (const shuffle::Randomizer& randomizer : randomizers) {
    const Pieces pieces = blanket_pieces(randomizer, 10000, {0.005, 1e-8});
    double narrow = 0;
    for (const double epsilon : {0.0, 0.0123, 0.0251, 0.04}) {
      const double most = std::exp(shuffle::shuffled_log_delta(randomizer, 10000, epsilon).upper);
      EXPECT_GE(testing::delta_of(pieces, epsilon), most * (1 - 1e-9));
      narrow = std::max(narrow, testing::delta_of(pieces, epsilon) - most);
    }
    EXPECT_LT(narrow, 2e-3);
    EXPECT_LE(pieces.p_at_infinity, 1.001e-8);
  }
}

TEST(BlanketPieces, RefusesWhatIsOutOfRange) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](std::vector<ProfilePoint> points) { return dominating_pieces(points); };
  EXPECT_REFUSED("points", of({}));
  EXPECT_REFUSED("points", of({{0, 0.1}}));
  EXPECT_REFUSED("points[0].epsilon", of({{0.1, 0.1}, {1, 0}}));
  EXPECT_REFUSED("points epsilon", of({{0, 0.1}, {0, 0.1}}));
  EXPECT_REFUSED("points epsilon", of({{0, 0.1}, {701, 0.1}}));
  EXPECT_REFUSED("points epsilon", of({{0, 0.1}, {not_a_number, 0.1}}));
  EXPECT_REFUSED("points delta", of({{0, 1.1}, {1, 0.1}}));
  EXPECT_REFUSED("points delta", of({{0, 0.1}, {1, not_a_number}}));
  const shuffle::Randomizer randomizer = shuffle::randomized_response(1, 3);
  EXPECT_THROW(blanket_pieces(randomizer, 10, {0, 1e-6}), InvalidArgument);
  EXPECT_THROW(blanket_pieces(randomizer, 10, {0.1, not_a_number}), InvalidArgument);
  EXPECT_REFUSED("reports", blanket_pieces(randomizer, 0, {0.1, 1e-6}));
  // Outputs that give an input away, which no epsilon makes up for.
  EXPECT_THROW(blanket_pieces(shuffle::finite({{1, 0}, {0, 1}}), 10, {0.1, 1e-6}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
