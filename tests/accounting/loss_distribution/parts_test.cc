// The steps of the accountant one by one: transform, discretisation, composition, answers.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/sampled.h"
#include "dpbudget/accounting/numeric/fourier.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::loss_distribution {

using numeric::Fourier;
using numeric::Spectrum;
namespace {

using dpbudget::testing::log_uniform;

LossDistribution gaussian_on(double noise, double mesh, Side side) {
  return discretise(gaussian_pieces(noise, {mesh / 2, 1e-18}), {mesh}, side);
}

// accounting/numeric/proofs.md, 5.1
TEST(Fourier, IsRightToWithinItsError) {
  for (const std::size_t least : {16U, 60U, 96U, 250U}) {
    const std::size_t n = Fourier::length_for(least);
    ASSERT_GE(n, least);
    Fourier fourier(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = std::exp(-0.01 * static_cast<double>(i * i % 97));
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    const Spectrum spectrum = fourier.forward(values);
    ASSERT_EQ(spectrum.size(), n / 2 + 1);
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
      std::complex<long double> exact = 0;
      for (std::size_t i = 0; i < n; ++i)
        exact += static_cast<long double>(values[i]) *
                 std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(i * k % n) / n);
      EXPECT_LE(std::abs(exact - std::complex<long double>(spectrum[k])), fourier.error() * total);
    }
    const std::vector<double> back = fourier.inverse(spectrum);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i], values[i], 1e-13);
  }
}

// What holds most of P lies below the first point of a wide mesh: all that is above it would not balance it, and is not
// asked to.
TEST(Discretise, KeepsRareLossesWhereMostLiesBesideThem) {
  const Pieces rare = poisson_sampled(gaussian_pieces(0.54, {1e-4, 1e-20}), 1e-4, 1e-20);
  const double mesh = 6e-4;
  for (const double epsilon : {1.0, 2.0, 3.0}) {
    const double truth = delta_at(discretise(rare, {1e-5}, Side::lower), epsilon);
    const double lower = delta_at(discretise(rare, {mesh}, Side::lower, 100 * truth), epsilon);
    EXPECT_GT(truth, 0);
    EXPECT_NEAR(lower / truth, 1, 0.01) << epsilon;
  }
}

// Connecting the dots is exact at the grid's points; cells are below there and everywhere.
// accounting/loss_distribution/proofs.md, 1.2, 1.3, 1.4 and 2.1
RC_GTEST_PROP(Discretise, BracketsTheProfileAndTouchesItAtGridPoints, ()) {
  const double noise = log_uniform(0.3, 20);
  const double mesh = log_uniform(1e-3, 0.1) / noise;
  const LossDistribution upper = gaussian_on(noise, mesh, Side::upper);
  const LossDistribution lower = gaussian_on(noise, mesh, Side::lower);
  for (const int point : {-3, 0, 1, 10, 100}) {
    const double truth = std::exp(profile::gaussian_log_delta(point * mesh, noise));
    RC_ASSERT(delta_at(upper, point * mesh) >= truth * (1 - 1e-12));
    RC_ASSERT(delta_at(upper, point * mesh) <= truth * (1 + 1e-7) + 1e-16);
    RC_ASSERT(delta_at(lower, point * mesh) <= truth * (1 + 1e-12));
    const double between = (point + 0.37) * mesh;
    RC_ASSERT(delta_at(upper, between) >= std::exp(profile::gaussian_log_delta(between, noise)) * (1 - 1e-12));
    RC_ASSERT(delta_at(lower, between) <= std::exp(profile::gaussian_log_delta(between, noise)) * (1 + 1e-12));
  }
}

// P, by weights, and Q at these losses, and what P has at infinity.
Pieces atoms_at(const std::vector<double>& losses, const std::vector<double>& weights, double at_infinity) {
  Pieces result{.pieces = {}, .errors = {}};
  double total = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double p = (1 - at_infinity) * weights[i] / total;
    result.pieces.push_back({losses[i], losses[i], p, p * std::exp(-losses[i]), losses[i]});
  }
  result.p_at_infinity = at_infinity;
  return result;
}

// Without the cancellation of p - e^epsilon q.
double delta_of_atoms(const Pieces& pieces, double epsilon) {
  double delta = pieces.p_at_infinity;
  for (const Piece& piece : pieces.pieces)
    if (piece.low > epsilon) delta += piece.p * -std::expm1(epsilon - piece.low);
  return delta;
}

// On any grid, whatever part of them finds nothing that balances it.
// accounting/loss_distribution/proofs.md, 1.2, 1.4 and 2.1
RC_GTEST_PROP(Discretise, BracketsWhateverAtomsThereAre, ()) {
  const int count = *rc::gen::inRange(1, 40);
  const double scale = log_uniform(1e-3, 3);
  std::vector<double> losses;
  std::vector<double> weights;
  for (int i = 0; i < count; ++i) {
    losses.push_back(scale * (*rc::gen::inRange(-1000, 1001)) * 1e-3);
    weights.push_back(log_uniform(1e-9, 1));
  }
  std::ranges::sort(losses);
  const Pieces atoms = atoms_at(losses, weights, *rc::gen::arbitrary<bool>() ? 0 : log_uniform(1e-9, 0.5));
  const double mesh = scale * log_uniform(1e-2, 10);
  const double offset = *rc::gen::arbitrary<bool>() ? 0 : mesh * log_uniform(1e-3, 1);
  const LossDistribution upper = discretise(atoms, {mesh, offset}, Side::upper);
  const LossDistribution lower = discretise(atoms, {mesh, offset}, Side::lower, log_uniform(1e-12, 1));
  for (int i = -12; i <= 12; ++i) {
    const double epsilon = 0.1 * i * scale;
    const double truth = delta_of_atoms(atoms, epsilon);
    RC_LOG() << "mesh " << mesh << ", epsilon " << epsilon << ": " << delta_at(lower, epsilon) << " " << truth << " "
             << delta_at(upper, epsilon);
    RC_ASSERT(delta_at(lower, epsilon) <= truth * (1 + 1e-14));
    RC_ASSERT(delta_at(upper, epsilon) >= truth * (1 - 1e-14));
  }
}

// Rounding alone leaves something that nothing balances, for which half of them were put a mesh lower.
TEST(Discretise, KeepsTogetherWhatIsFarNarrowerThanTheMesh) {
  for (int count = 3; count < 60; ++count) {
    std::vector<double> losses;
    std::vector<double> weights;
    for (int i = -count; i <= count; ++i) {
      const double loss = 1e-6 * i;
      losses.push_back(loss);
      weights.push_back(std::exp(loss / 2 - 0.5 * i * i / 100));
    }
    const LossDistribution lower = discretise(atoms_at(losses, weights, 0), {1e-3}, Side::lower);
    double at_zero = 0;
    for (std::size_t i = 0; i < lower.mass.size(); ++i)
      if (lower.loss(i) == 0) at_zero = lower.mass[i];
    EXPECT_GT(at_zero, 1 - 1e-9) << count;
  }
}

// Rounding may put pieces of nearly equal losses in another order than their place says.
TEST(Discretise, PutsPiecesWhereTheirLossesAre) {
  const Pieces pieces{
      .pieces = {{-1, -1, 0.2, 0.2 * std::exp(1), -1}, {1, 1, 0.5, 0.5 * std::exp(-1), 1}, {0, 0, 0.3, 0.3, 0}},
      .errors = {}};
  const LossDistribution upper = discretise(pieces, {0.5}, Side::upper);
  ASSERT_EQ(upper.mass.size(), 5U);
  EXPECT_EQ(upper.first, -2);
  EXPECT_NEAR(upper.mass[0], 0.2, 1e-12);
  EXPECT_NEAR(upper.mass[2], 0.3, 1e-12);
  EXPECT_NEAR(upper.mass[4], 0.5, 1e-12);
}

TEST(Discretise, RefusesAMeshThatNoIntegerOrNoDoubleCounts) {
  for (const Side side : {Side::upper, Side::lower}) {
    const Pieces wide = gaussian_pieces(1, {0.1, 1e-18});
    for (const double mesh : {1e-8, 1e-16, 1e-30, 1e-200, 5e-324}) {
      EXPECT_THROW(discretise(wide, {mesh}, side), Unsupported) << mesh;
    }
    EXPECT_THROW(discretise(one_atom(), {1e-305}, side), Unsupported);
  }
}

// Against the convolution by its definition.
// accounting/loss_distribution/proofs.md, 3.1, 3.2 and 3.3
TEST(ComposeNear, IsTheConvolution) {
  for (const Side side : {Side::lower, Side::upper}) {
    const LossDistribution one = gaussian_on(1.5, 0.05, side);
    const std::vector<Part> parts = {{&one, 4}};
    std::vector<long double> exact = {1};
    for (int fold = 0; fold < 4; ++fold) {
      std::vector<long double> next(exact.size() + one.mass.size() - 1);
      for (std::size_t i = 0; i < exact.size(); ++i)
        for (std::size_t j = 0; j < one.mass.size(); ++j) next[i + j] += exact[i] * one.mass[j];
      exact = std::move(next);
    }
    const Focus focus = focus_at_delta(parts, std::log(1e-9), 1e-6);
    const LossDistribution sum = compose_near(parts, focus, setting_near(parts, focus));
    int compared = 0;
    for (std::size_t i = 0; i < sum.mass.size(); ++i) {
      const std::int64_t at = sum.first + static_cast<std::int64_t>(i) - 4 * one.first;
      if (at < 0 || at >= static_cast<std::int64_t>(exact.size()) || sum.loss(i) < 0) continue;
      const long double truth = exact[static_cast<std::size_t>(at)];
      if (side == Side::upper)
        EXPECT_GE(sum.mass[i], truth * (1 - 1e-15L));
      else
        EXPECT_LE(sum.mass[i], truth * (1 + 1e-15L));
      // It is accurate where it was asked to be.
      if (std::abs(sum.loss(i) - focus.epsilon) < 1) {
        EXPECT_NEAR(sum.mass[i], static_cast<double>(truth), 1e-4 * static_cast<double>(truth));
        ++compared;
      }
    }
    EXPECT_GT(compared, 30);
  }
}

// accounting/loss_distribution/proofs.md, 5.1
TEST(Query, EpsilonAndDeltaAreInverse) {
  const LossDistribution upper = gaussian_on(1, 1e-3, Side::upper);
  for (const double delta : {0.3, 1e-2, 1e-5, 1e-12}) {
    const double epsilon = epsilon_at(upper, delta);
    EXPECT_LE(delta_at(upper, epsilon), delta * (1 + 1e-9));
    EXPECT_GE(delta_at(upper, epsilon - 1e-9), delta * (1 - 1e-7));
  }
}

// G_mu(a) = Phi(Phi^{-1}(1 - a) - mu) (Dong, Roth, Su 2019, Definition 2.6).
// accounting/tradeoff/proofs.md, 1.3
TEST(Query, TradeOffIsBelowThatOfTheGaussianAndNearIt) {
  const LossDistribution upper = gaussian_on(1, 1e-3, Side::upper);
  const boost::math::normal standard;
  for (const double error : {1e-6, 1e-3, 0.05, 0.3, 0.7}) {
    const double truth = cdf(standard, quantile(complement(standard, error)) - 1);
    EXPECT_LE(trade_off_at(upper, error), truth);
    EXPECT_GE(trade_off_at(upper, error), truth - 1e-6);
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
