#include "dpbudget/accounting/loss_distribution/releases/normal_mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

NormalMixture random_mixture() {
  NormalMixture mixture;
  const int shifts = *rc::gen::inRange(1, 6);
  for (int i = 0; i < shifts; ++i) mixture.shifts.push_back({log_uniform(1e-6, 0.15), log_uniform(0.05, 6)});
  mixture.at_zero = rest_of(mixture.shifts);
  return mixture;
}

// accounting/loss_distribution/proofs.md, 4g.1 and 4g.2
RC_GTEST_PROP(NormalMixturePieces, AreWellFormed, ()) {
  const NormalMixture mixture = random_mixture();
  for (const Against against : {Against::zero, Against::mirror}) {
    const Pieces pieces = normal_mixture_pieces(mixture, against, {0.05, 1e-12});
    testing::expect_well_formed(pieces);
    testing::expect_well_formed(reversed(pieces));
  }
}

// What no piece has of the shifted part is at most `p_above`, and all mass is somewhere.
// accounting/loss_distribution/proofs.md, 4g.3
RC_GTEST_PROP(NormalMixturePieces, LoseNoMoreThanTheirTails, ()) {
  const NormalMixture mixture = random_mixture();
  const double tail = log_uniform(1e-12, 1e-3);
  for (const Against against : {Against::zero, Against::mirror}) {
    const Pieces pieces = normal_mixture_pieces(mixture, against, {0.05, tail});
    double p = 0;
    double q = 0;
    for (const Piece& piece : pieces.pieces) {
      p += piece.p;
      q += piece.q;
    }
    RC_ASSERT(p <= 1 + 1e-9);
    RC_ASSERT(q <= 1 + 1e-9);
    RC_ASSERT(pieces.p_above <= 2 * tail);
    const double lost = std::exp(pieces.pieces.front().high) * (1 - q);
    RC_ASSERT(1 - p <= pieces.p_above + pieces.q_below + lost + 1e-9);
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
