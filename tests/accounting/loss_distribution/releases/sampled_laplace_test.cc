#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/laplace.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// H_e(P, Q) of what is not sampled: 1 - e^{(e - 1/scale)/2} between the two atoms.
long double whole(long double scale, long double e) {
  const long double most = 1 / scale;
  if (e < -most) return -std::expm1(e);
  return e >= most ? 0 : -std::expm1((e - most) / 2);
}

// Proofs 4.1, and 4.4 where `is_symmetric`.
long double removed(long double rate, long double scale, long double e) {
  const long double change = std::expm1(e) / rate;
  return change > -1 ? rate * whole(scale, std::log1p(change)) : -std::expm1(e);
}
// Where the mixture has less than e^-e of Q, which is where the loss of what is not sampled is below some number.
long double added(long double rate, long double scale, long double e) {
  if (e <= 0) return -std::expm1(e) + std::exp(e) * removed(rate, scale, -e);
  const long double most = 1 / scale;
  const long double others = 1 - std::exp(e) * (1 - rate);
  if (others <= 0) return 0;
  const long double below = std::log(others / rate) - e;
  if (below <= -most) return 0;
  return others * (1 - std::exp(-(below + most) / 2) / 2) - std::exp(e) * rate * std::exp((below - most) / 2) / 2;
}
long double symmetric(long double rate, long double scale, long double e) {
  return e >= 0 ? removed(rate, scale, e) : added(rate, scale, e);
}

double log_of(long double delta) { return static_cast<double>(std::log(std::max(delta, 0.0L))); }

void expect_both(double rate, double scale, double cells) {
  SCOPED_TRACE(::testing::Message() << "rate " << rate << " scale " << scale << " cells " << cells);
  const double reach = std::log1p(rate * std::expm1(std::min(1 / scale, 600.0)));
  const Cut cut{reach / cells, 1e-9};
  testing::expect_mechanism(
      poisson_laplace_pieces(rate, scale, cut), 7, [&](double e) { return log_of(removed(rate, scale, e)); },
      [&](double e) { return log_of(added(rate, scale, e)); }, 1e-9);
  const auto both = [&](double e) { return log_of(symmetric(rate, scale, e)); };
  testing::expect_mechanism(without_replacement_laplace_pieces(rate, scale, cut), 7, both, both, 1e-9);
}

// accounting/loss_distribution/proofs.md, 4.1, 4.2a and 4.4
RC_GTEST_PROP(SampledLaplacePieces, HaveTheMechanismsProfileInBothDirections, ()) {
  const double rate = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 1) : 1 - log_uniform(1e-12, 1);
  expect_both(rate, log_uniform(2e-3, 1e3), log_uniform(1, 300));
}

TEST(SampledLaplacePieces, HoldAtTheExtremes) {
  expect_both(1e-9, 0.002, 50);
  expect_both(1e-9, 1e6, 50);
  expect_both(1 - 1e-15, 0.3, 50);
  expect_both(1, 0.7, 50);
  expect_both(0.5, 0.01, 1000);
}

// The release's own were a thousand times as many.
TEST(SampledLaplacePieces, AreAsManyAsTheMixturesLossesNeed) {
  EXPECT_LT(poisson_laplace_pieces(2e-5, 0.14, {1e-5, 1e-9}).pieces.size(), 3000U);
}

TEST(SampledLaplacePieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(poisson_laplace_pieces(bad, 1, {0.1, 1e-9}), InvalidArgument);
    EXPECT_THROW(without_replacement_laplace_pieces(bad, 1, {0.1, 1e-9}), InvalidArgument);
  }
  EXPECT_THROW(poisson_laplace_pieces(0.1, 0, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(poisson_laplace_pieces(0.1, 1e-320, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(without_replacement_laplace_pieces(0.9, 1, {1e-9, 1e-9}), Unsupported);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
