#include "dpbudget/accounting/contour/merged.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"

namespace dpbudget::contour {
namespace {

using loss_distribution::Piece;
using loss_distribution::Pieces;
using loss_distribution::Side;

double delta_of(const Merged& law, double epsilon) {
  double delta = law.at_infinity;
  for (const auto& [loss, mass] : law.atoms)
    if (loss > epsilon) delta += mass * -std::expm1(epsilon - loss);
  return delta;
}

Pieces pieces_of(const Event& event, Side side, double step) {
  return loss_distribution::losses_of(
      event, Adjacency::add_or_remove_one,
      {side, loss_distribution::Direction::forward, loss_distribution::Pair::dominating, 2 * step, 1e-15});
}

Merged merged_of(const Event& event, Side side, double step, const Merging& merging) {
  return merged(pieces_of(event, side, step), side, merging);
}

// Laplace noise: delta = 1 - e^{(e - 1/b)/2} for |e| <= 1/b.
RC_GTEST_PROP(Merged, BracketsTheClosedFormOfLaplace, ()) {
  const double b = testing::log_uniform(0.2, 20);
  const Merging merging{testing::log_uniform(0.1, 30), testing::log_uniform(1e-8, 1e-2) / b / b};
  const Merged upper = merged_of(Laplace{b}, Side::upper, 1e-3 / b, merging);
  const Merged lower = merged_of(Laplace{b}, Side::lower, 1e-3 / b, merging);
  for (const double share : {-0.9, -0.2, 0.0, 0.1, 0.5, 0.97}) {
    const double expected = -std::expm1((share - 1) / b / 2);
    RC_ASSERT(delta_of(upper, share / b) >= expected * (1 - 1e-12));
    RC_ASSERT(delta_of(lower, share / b) <= expected * (1 + 1e-12));
    RC_ASSERT(delta_of(upper, share / b) - delta_of(lower, share / b) <= 0.3 * std::sqrt(merging.variance) + 1e-3 / b);
  }
}

// Outcomes that are told apart no more are told apart no better; of tails that were left out nothing is known. (That a
// larger allowance always costs more does not hold: its groups may end elsewhere.)
// accounting/contour/proofs.md, 7.1
RC_GTEST_PROP(Merged, LiesOnItsSideOfThePiecesThatItMerges, ()) {
  const Event event = PoissonSampled{testing::log_uniform(0.01, 1), Event(Gaussian{testing::log_uniform(0.5, 5)})};
  const Merging merging{testing::log_uniform(0.1, 10), testing::log_uniform(1e-12, 1e-2)};
  const double epsilon = testing::log_uniform(1e-3, 2);
  for (const Side side : {Side::lower, Side::upper}) {
    const Pieces pieces = pieces_of(event, side, 1e-3);
    const Merged law = merged(pieces, side, merging);
    double of_pieces = pieces.p_at_infinity;
    for (const Piece& piece : pieces.pieces)
      of_pieces += piece.p * std::max(0.0, -std::expm1(epsilon - piece.barycentre));
    if (side == Side::upper) {
      RC_ASSERT(delta_of(law, epsilon) >= of_pieces * (1 - 1e-10));
    } else {
      RC_ASSERT(delta_of(law, epsilon) <= of_pieces * (1 + 1e-10));
    }
  }
}

RC_GTEST_PROP(Merged, HasFewerAtomsWhereMoreMayBeMerged, ()) {
  const Event event = PoissonSampled{testing::log_uniform(0.01, 1), Event(Gaussian{testing::log_uniform(0.5, 5)})};
  const double c = testing::log_uniform(0.1, 10);
  RC_ASSERT(merged_of(event, Side::upper, 1e-3, {c, 1e-3}).atoms.size() <=
            merged_of(event, Side::upper, 1e-3, {c, 1e-12}).atoms.size());
}

// Its own mass is never lost: on the upper side P has at least 1, on the lower one at most 1.
RC_GTEST_PROP(Merged, KeepsItsMass, ()) {
  const Event event = *rc::gen::arbitrary<bool>() ? Event(ApproximateDp{testing::log_uniform(0.01, 3), 1e-3})
                                                  : Event(DiscreteGaussian{testing::log_uniform(0.3, 10)});
  const Merging merging{1, testing::log_uniform(1e-9, 1e-2)};
  const auto mass = [&](Side side) {
    const Merged law = merged_of(event, side, 1e-3, merging);
    double sum = law.at_infinity;
    for (const Atom& atom : law.atoms) sum += atom.mass;
    return sum;
  };
  RC_ASSERT(mass(Side::upper) >= 1 - 1e-15);
  RC_ASSERT(mass(Side::lower) <= 1 + 1e-15);
}

TEST(Merged, MakesOneGroupOfFewPiecesEach) {
  EXPECT_EQ(merged_of(RandomizedResponse{1.0, 2}, Side::lower, 1, {1, 1}).atoms.size(), 2U);
  EXPECT_EQ(merged_of(RandomizedResponse{1.0, 5}, Side::lower, 1, {1, 1}).atoms.size(), 3U);
}

}  // namespace
}  // namespace dpbudget::contour
