#include "dpbudget/accounting/loss_distribution/releases/sampled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/loss_distribution/releases/discrete_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/laplace.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// delta of the outcomes above the last piece kept, at an epsilon of at least the lowest loss.
double delta_above(const Pieces& whole, const Pieces& kept, double epsilon) {
  double delta = 0;
  for (const Piece& piece : whole.pieces)
    if (piece.low > kept.pieces.back().low && piece.barycentre > epsilon)
      delta += piece.p * -std::expm1(epsilon - piece.barycentre);
  return delta;
}

// What is left out is worth no more than is said, and than is allowed, at any epsilon.
// accounting/loss_distribution/proofs.md, 4.3 and 4.4
RC_GTEST_PROP(Sampled, LeaveOutWhatTheTailAllowsAndNoMore, ()) {
  const Pieces inside = discrete_gaussian_pieces(log_uniform(0.1, 20), {1, 1e-270});
  const double rate = log_uniform(1e-300, 1);
  const double tail = log_uniform(1e-250, 1);
  for (const bool is_poisson : {false, true}) {
    const auto sampled = [&](double at_most) {
      return is_poisson ? poisson_sampled(inside, rate, at_most) : without_replacement(inside, rate, at_most);
    };
    const Pieces whole = sampled(0);
    const Pieces cut = sampled(tail);
    RC_ASSERT(cut.p_above <= std::max(tail, whole.p_above));
    RC_ASSERT(cut.q_below <= std::max(tail, inside.q_below));
    for (const double epsilon : {cut.pieces.front().low, 0.0, cut.pieces.back().high})
      RC_ASSERT(delta_above(whole, cut, epsilon) <= cut.p_above * (1 + 1e-9));
  }
}

TEST(Sampled, EndWhereARareRecordNoLongerMatters) {
  const Pieces inside = discrete_gaussian_pieces(0.5, {1, 1e-84});
  EXPECT_LT(poisson_sampled(inside, 1e-40, 1e-84).pieces.back().high,
            1e-5 * poisson_sampled(inside, 1e-40, 0).pieces.back().high);
  EXPECT_LT(without_replacement(inside, 1e-40, 1e-84).pieces.back().high,
            1e-5 * without_replacement(inside, 1e-40, 0).pieces.back().high);
}

TEST(Sampled, KeepFewOutcomesAll) {
  EXPECT_EQ(poisson_sampled(randomized_response_pieces(1, 3), 1e-9, 1).pieces.size(), 3U);
  EXPECT_EQ(poisson_sampled(randomized_response_pieces(1, 3), 1e-9, 1).p_above, 0);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
