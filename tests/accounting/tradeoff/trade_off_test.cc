// The axioms and the duality, for every trade-off function with a formula of its own.

#include "dpbudget/accounting/tradeoff/trade_off.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/tradeoff/operations.h"

namespace dpbudget::tradeoff {
namespace {

using testing::type_one_errors;

std::vector<TradeOffPtr> functions() {
  return {gaussian(0),
          gaussian(0.5),
          gaussian(3),
          approximate(0, 0),
          approximate(1, 0.05),
          approximate(0.3, 0),
          approximate(0, 1),
          laplace(0),
          laplace(0.4),
          laplace(3),
          subsampled(gaussian(1), 0.3),
          subsampled(gaussian(3), 0.01),
          subsampled(laplace(2), 0.6),
          subsampled(approximate(2, 0.1), 0.2)};
}

// accounting/tradeoff/proofs.md, 1.1
TEST(TradeOff, SatisfiesTheAxioms) {
  for (const TradeOffPtr& f : functions()) {
    EXPECT_TRUE(f->is_symmetric());
    double last = 1;
    for (const double a : type_one_errors()) {
      const double here = f->type_two_error(a);
      EXPECT_LE(here, 1 - a + 1e-15);
      EXPECT_LE(here, last);
      EXPECT_NEAR(here + f->power(a), 1, 1e-14);
      for (const double b : type_one_errors())
        EXPECT_LE(f->type_two_error((a + b) / 2), (here + f->type_two_error(b)) / 2 + 1e-14);
      last = here;
    }
  }
}

TEST(TradeOff, IsItsOwnInverse) {
  for (const TradeOffPtr& f : functions())
    for (const double a : {1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.95}) {
      const double b = f->type_two_error(a);
      EXPECT_TRUE(b == 0 || std::abs(f->type_two_error(b) - a) < 1e-12 + 1e-7 * a) << a;
    }
}

// The largest value of a concave function over (low, high).
template <class Function>
double largest(const Function& function, double low, double high) {
  for (int i = 0; i < 120; ++i) {
    const double third = (high - low) / 3;
    (function(low + third) < function(high - third) ? low : high) +=
        function(low + third) < function(high - third) ? third : -third;
  }
  return function(low);
}

// accounting/tradeoff/proofs.md, 1.2
TEST(TradeOff, DeltaIsTheLargestGapToALine) {
  for (const TradeOffPtr& f : functions())
    for (const double epsilon : {-1.5, -0.2, 0.0, 0.2, 1.0, 2.5}) {
      const double gap = largest([&](double a) { return 1 - f->type_two_error(a) - std::exp(epsilon) * a; }, 0.0, 1.0);
      EXPECT_NEAR(std::exp(f->log_delta(epsilon)), gap, 1e-12);
    }
}

// accounting/tradeoff/proofs.md, 1.3
TEST(TradeOff, IsTheUpperEnvelopeOfItsGuarantees) {
  for (const TradeOffPtr& f : functions())
    for (const double a : {1e-3, 0.05, 0.3, 0.6, 0.9}) {
      // Concave in e^epsilon.
      const double best =
          largest([&](double factor) { return 1 - std::exp(f->log_delta(std::log(factor))) - factor * a; }, 1e-6, 1e3);
      EXPECT_NEAR(f->type_two_error(a), std::max(0.0, best), 1e-5);
    }
}

TEST(TradeOff, HasTheLossesOfItsDelta) {
  for (const TradeOffPtr& f : functions())
    for (const loss_distribution::Side side : {loss_distribution::Side::lower, loss_distribution::Side::upper}) {
      const loss_distribution::Pieces losses = f->losses({1e-3, 1e-12}, side);
      for (const double epsilon : {0.0, 0.3, 1.5}) {
        double delta = losses.p_at_infinity;
        for (const auto& piece : losses.pieces)
          delta += piece.p * std::max(0.0, -std::expm1(epsilon - piece.barycentre));
        EXPECT_NEAR(delta, std::exp(f->log_delta(epsilon)), 1e-6);
      }
    }
}

TEST(TradeOff, KeepsTheDigitsOfSmallPowers) {
  EXPECT_NEAR(laplace(2)->power(1e-100) / (std::exp(2) * 1e-100), 1, 1e-13);
  EXPECT_DOUBLE_EQ(approximate(2, 1e-50)->power(1e-100), 1e-50);
  EXPECT_NEAR(subsampled(laplace(2), 0.25)->power(1e-100) / ((0.25 * std::exp(2) + 0.75) * 1e-100), 1, 1e-13);
}

TEST(TradeOff, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const TradeOffPtr& f : functions()) {
    for (const double bad : {-1e-300, 1.1, nan}) {
      EXPECT_THROW(f->type_two_error(bad), InvalidArgument);
      EXPECT_THROW(f->power(bad), InvalidArgument);
    }
    for (const double bad : {infinity, -infinity, nan}) EXPECT_THROW(f->log_delta(bad), InvalidArgument);
  }
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(gaussian(bad), InvalidArgument);
    EXPECT_THROW(laplace(bad), InvalidArgument);
    EXPECT_THROW(approximate(bad, 0.1), InvalidArgument);
  }
  for (const double bad : {-0.1, 1.1, nan}) EXPECT_THROW(approximate(1, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
