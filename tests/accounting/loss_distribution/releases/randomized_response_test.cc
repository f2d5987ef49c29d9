#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/base/nan.h"
#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/approximate_dp.h"
#include "dpbudget/accounting/loss_distribution/releases/discrete_laplace.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// delta at e of randomised response: the truth's excess for e >= 0, all but a multiple of the rest below.
double response_delta(double epsilon, std::uint64_t categories, double e) {
  const double others = static_cast<double>(categories - 1);
  const double truth = 1 / (1 + others * std::exp(-epsilon));
  const double lie = truth * std::exp(-epsilon);
  double delta = std::max(0.0, truth - std::exp(e) * lie) + std::max(0.0, lie - std::exp(e) * truth);
  if (e < 0) delta += (others - 1) * lie * -std::expm1(e);
  return delta;
}

RC_GTEST_PROP(RandomizedResponsePieces, HaveTheMechanismsProfile, ()) {
  const double epsilon = log_uniform(1e-9, 500);
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(2, 1000));
  const auto log_delta = [&](double e) { return std::log(response_delta(epsilon, categories, e)); };
  testing::expect_mechanism(randomized_response_pieces(epsilon, categories), 1, log_delta, log_delta);
}

TEST(RandomizedResponsePieces, HaveOneLossWhenTheAnswerSaysNothing) {
  const Pieces pieces = randomized_response_pieces(0, 5);
  ASSERT_EQ(pieces.pieces.size(), 1U);
  EXPECT_EQ(pieces.pieces.front().low, 0);
  EXPECT_EQ(pieces.pieces.front().p, 1);
}

RC_GTEST_PROP(DiscreteLaplacePieces, HaveTheProfileOfTheNoisesSums, ()) {
  const double scale = log_uniform(0.05, 50);
  const long double ratio = std::exp(-1 / static_cast<long double>(scale));
  const auto log_delta = [&](double e) {
    const int reach = static_cast<int>(50 * scale) + 2;
    long double delta = 0;
    for (int z = -reach; z <= reach; ++z)
      delta += std::max(0.0L, std::pow(ratio, std::abs(z - 1)) -
                                  std::exp(static_cast<long double>(e)) * std::pow(ratio, std::abs(z)));
    return static_cast<double>(std::log(delta * (1 - ratio) / (1 + ratio)));
  };
  testing::expect_mechanism(discrete_laplace_pieces(scale), 1, log_delta, log_delta);
}

RC_GTEST_PROP(ApproximateDpPieces, HaveTheProfileOfTheGuarantee, ()) {
  const double epsilon = log_uniform(1e-9, 500);
  const double delta = log_uniform(1e-300, 1);
  const auto log_delta = [&](double e) { return std::log(delta + (1 - delta) * response_delta(epsilon, 2, e)); };
  const Pieces pieces = approximate_dp_pieces(epsilon, delta);
  EXPECT_EQ(pieces.p_at_infinity, delta);
  EXPECT_EQ(pieces.q_at_infinity, delta);
  testing::expect_mechanism(pieces, 1, log_delta, log_delta);
}

TEST(ApproximateDpPieces, HaveNoFiniteLossWhenTheyMayFailForCertain) {
  const Pieces pieces = approximate_dp_pieces(1, 1);
  EXPECT_EQ(pieces.p_at_infinity, 1);
  for (const Piece& piece : pieces.pieces) EXPECT_EQ(piece.p + piece.q, 0);
}

TEST(RandomizedResponsePieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {-1.0, nan}) {
    EXPECT_THROW(randomized_response_pieces(bad, 2), InvalidArgument);
    EXPECT_THROW(approximate_dp_pieces(bad, 0.1), InvalidArgument);
    EXPECT_THROW(approximate_dp_pieces(1, bad), InvalidArgument);
    EXPECT_THROW(discrete_laplace_pieces(bad), InvalidArgument);
  }
  EXPECT_THROW(randomized_response_pieces(1, 1), InvalidArgument);
  EXPECT_THROW(approximate_dp_pieces(1, 1.1), InvalidArgument);
  EXPECT_THROW(discrete_laplace_pieces(1e-320), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
