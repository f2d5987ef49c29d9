#include "dpbudget/accounting/loss_distribution/releases/binomial_shift.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_shift.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// The masses of Bin(trials, probability), from that of the mean outwards, so that none that counts underflows.
std::vector<long double> binomial(int trials, double probability) {
  const long double p = probability;
  std::vector<long double> mass(static_cast<std::size_t>(trials) + 1);
  const int mean = static_cast<int>(trials * probability);
  const auto at = [&](int j) -> long double& { return mass[static_cast<std::size_t>(j)]; };
  at(mean) = 1;
  for (int j = mean; j < trials; ++j) at(j + 1) = at(j) * (p / (1 - p)) * (trials - j) / (j + 1);
  for (int j = mean; j > 0; --j) at(j - 1) = at(j) * ((1 - p) / p) * j / (trials - j + 1);
  const long double sum = std::accumulate(mass.begin(), mass.end(), 0.0L);
  for (long double& each : mass) each /= sum;
  return mass;
}

// delta of shift + Bin against Bin at any real epsilon, in long double by the definition.
double delta_of(int trials, double probability, int shift, double epsilon) {
  const std::vector<long double> mass = binomial(trials, probability);
  const auto at = [&](int j) { return 0 <= j && j <= trials ? mass[static_cast<std::size_t>(j)] : 0.0L; };
  long double delta = 0;
  for (int j = 0; j <= trials + shift; ++j)
    delta += std::max(0.0L, at(j - shift) - std::exp(static_cast<long double>(epsilon)) * at(j));
  return static_cast<double>(delta);
}

RC_GTEST_PROP(BinomialShiftPieces, HaveTheMechanismsProfile, ()) {
  const int trials = *rc::gen::inRange(2, 400);
  const double p = *rc::gen::inRange(20, 980) / 1e3;
  const int shift = *rc::gen::inRange(0, trials / 4 + 1);
  const auto log_delta = [&](double e) { return std::log(delta_of(trials, p, shift, e)); };
  const auto reverse_log_delta = [&](double e) { return std::log(delta_of(trials, 1 - p, shift, e)); };
  const Cut cut{1, log_uniform(1e-100, 1e-3)};
  const Pieces pieces = binomial_shift_pieces(trials, p, shift, cut);
  testing::expect_mechanism(pieces, 7, log_delta, reverse_log_delta);
  testing::expect_little_left_out(pieces, cut);
}

TEST(BinomialShiftPieces, BracketTheExactDelta) {
  const double trials = 1e6;
  for (const double shift : {50.0, 100.0}) {
    const Pieces pieces = binomial_shift_pieces(trials, 0.25, shift, {1, 1e-20});
    const double epsilon = 0.3;
    const double upper = delta_at(discretise(pieces, {1e-4}, Side::upper), epsilon);
    const double reverse_upper = delta_at(discretise(reversed(pieces), {1e-4}, Side::upper), epsilon);
    const double lower = delta_at(discretise(pieces, {1e-4}, Side::lower), epsilon);
    const double truth = shuffle::binomial_shift_delta(trials, 0.25, shift, epsilon);
    EXPECT_GE(std::max(upper, reverse_upper), truth * (1 - 1e-11));
    EXPECT_LE(std::max(upper, reverse_upper), truth * 1.001);
    EXPECT_LE(lower, truth * (1 + 1e-11));
  }
}

TEST(BinomialShiftPieces, PutAtInfinityWhatOnlyOneSideCanBe) {
  const Pieces pieces = binomial_shift_pieces(4, 0.5, 3, {1, 1e-20});
  ASSERT_EQ(pieces.pieces.size(), 2U);
  EXPECT_NEAR(pieces.p_at_infinity, 11.0 / 16, 1e-9);
  EXPECT_NEAR(pieces.q_at_infinity, 11.0 / 16, 1e-9);
  double p = pieces.p_at_infinity;
  for (const Piece& piece : pieces.pieces) p += piece.p;
  EXPECT_NEAR(p, 1, pieces.errors.mass + pieces.errors.infinity);
  EXPECT_LT(pieces.errors.infinity, 1e-9);
  // Next to nothing in common: all of P's mass is at infinity.
  const Pieces apart = binomial_shift_pieces(10000, 0.5, 9000, {1, 1e-20});
  EXPECT_NEAR(apart.p_at_infinity, 1, 1e-2);
  EXPECT_GE(delta_at(discretise(apart, {1}, Side::upper), 5), 1 - 1e-12);
}

TEST(BinomialShiftPieces, AreOneAtomWithoutAShift) {
  EXPECT_EQ(binomial_shift_pieces(10, 0.5, 0, {1, 1e-9}).pieces.size(), 1U);
}

TEST(BinomialShiftPieces, RefuseWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, 1.5, 1e17, nan})
    EXPECT_THROW(binomial_shift_pieces(bad, 0.5, 1, {1, 1e-9}), InvalidArgument);
  for (const double bad : {0.0, 1.0, nan}) EXPECT_THROW(binomial_shift_pieces(9, bad, 1, {1, 1e-9}), InvalidArgument);
  for (const double bad : {-1.0, 0.5, 10.0, nan})
    EXPECT_THROW(binomial_shift_pieces(9, 0.5, bad, {1, 1e-9}), InvalidArgument);
  EXPECT_THROW(binomial_shift_pieces(9, 0.5, 1, {1, 0}), InvalidArgument);
  EXPECT_THROW(binomial_shift_pieces(9e15, 0.5, 1, {1, 1e-9}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
