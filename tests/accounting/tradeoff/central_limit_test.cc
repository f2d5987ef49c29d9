// Values are held against validation/tradeoff_vectors.jsonl by tests/tools/eval; here is what the limits promise.

#include "dpbudget/accounting/tradeoff/central_limit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/tradeoff/bracketed.h"
#include "dpbudget/accounting/tradeoff/operations.h"
#include "dpbudget/accounting/tradeoff/tensor.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;

RC_GTEST_PROP(CentralLimit, GrowsLikeTheRateAndTheRootOfTheSteps, ()) {
  const double q = log_uniform(1e-6, 0.5);
  const double noise = log_uniform(0.05, 1e6);
  const double steps = log_uniform(1, 1e9);
  for (const auto& mu : {clt_mu_poisson, clt_mu_without_replacement}) {
    RC_ASSERT(std::abs(mu(2 * q, noise, steps) / mu(q, noise, steps) - 2) < 1e-12);
    RC_ASSERT(std::abs(mu(q, noise, 4 * steps) / mu(q, noise, steps) - 2) < 1e-12);
    RC_ASSERT(mu(q, noise * 1.001, steps) < mu(q, noise, steps));
  }
  RC_ASSERT(std::abs(std::exp(clt_log_mu_poisson(q, noise, steps)) - clt_mu_poisson(q, noise, steps)) == 0);
}

// For much noise a step is q times a Gaussian's: mu = q sqrt(T) / s in either limit.
TEST(CentralLimit, IsThatOfAveragedGaussiansForMuchNoise) {
  for (const double noise : {1e8, 1e50, 1e200, 1e300}) {
    EXPECT_NEAR(clt_mu_poisson(0.5, noise, 16) * noise, 2, 1e-7);
    EXPECT_NEAR(clt_mu_without_replacement(0.5, noise, 16) * noise, 2, 1e-7);
  }
}

TEST(CentralLimit, HasItsLogarithmWhereItOverflows) {
  EXPECT_NEAR(clt_log_mu_poisson(0.5, 0.02, 4), 1250, 1e-9);
  EXPECT_NEAR(clt_log_mu_without_replacement(0.5, 0.02, 4), 1250 + std::log(2) / 2, 1e-9);
  EXPECT_EQ(clt_mu_poisson(0.5, 0.02, 4), infinity);
  EXPECT_EQ(clt_mu_poisson(0, 1, 4), 0);
  EXPECT_EQ(clt_mu_without_replacement(0.5, 1, 0), 0);
}

// The moments are those of the limit: of one step of the Gaussian itself mu is its own.
TEST(BerryEsseen, OfTheGaussianHasItsMu) {
  const BerryEsseen limit = berry_esseen(subsampled_gaussian_moments(1, 0.5), 100);
  EXPECT_NEAR(limit.mu, 5, 1e-10);
  EXPECT_NEAR(limit.gamma, 0.56 * 2 * std::sqrt(2 / std::acos(-1.0)) / 10, 1e-10);
}

// accounting/tradeoff/proofs.md, 5.2
TEST(BerryEsseen, HoldsTheCertifiedProduct) {
  const BerryEsseen limit = berry_esseen(subsampled_gaussian_moments(0.01, 1), 1e4);
  EXPECT_NEAR(limit.mu, 1.6725, 1e-4);
  EXPECT_LT(limit.gamma, 0.029);
  const auto product =
      std::dynamic_pointer_cast<const BracketedTradeOff>(tensor({{subsampled(gaussian(1), 0.01), 10000}}, 1e-3));
  ASSERT_TRUE(product);
  for (double a = 0.03; a < 0.97; a += 0.0625) {
    const numeric::Bracket band = berry_esseen_band(limit, a);
    EXPECT_LE(band.lower, product->type_two_error(a));
    EXPECT_GE(band.upper, product->greatest_type_two_error(a));
  }
}

// An estimate may be on the wrong side: at one step, the limit promises more privacy than there is.
// accounting/tradeoff/proofs.md, 5.1
TEST(CentralLimit, IsNoBound) {
  const double mu = clt_mu_without_replacement(0.01, 0.5, 1);
  EXPECT_GT(gaussian(mu)->type_two_error(1e-6), subsampled(gaussian(2), 0.01)->type_two_error(1e-6));
}

std::string refusal_of(const BerryEsseen& limit, double type_one_error) {
  try {
    berry_esseen_band(limit, type_one_error);
    return "";
  } catch (const Unsupported& refusal) {
    return refusal.what();
  }
}

TEST(BerryEsseen, NamesThePreconditionThatFails) {
  EXPECT_NE(refusal_of({1, 0.5}, 0.5).find("gamma < 1/2, but gamma is 0.5"), std::string::npos);
  EXPECT_NE(refusal_of({1, std::nan("")}, 0.5).find("gamma < 1/2"), std::string::npos);
  EXPECT_NE(refusal_of({1, 0.1}, 0.09).find("[gamma, 1 - gamma]"), std::string::npos);
  EXPECT_NE(refusal_of({1, 0.1}, 0.91).find("[gamma, 1 - gamma]"), std::string::npos);
  EXPECT_EQ(refusal_of({1, 0.1}, 0.1), "");
  EXPECT_THROW(berry_esseen_band({1, 0.1}, std::nan("")), InvalidArgument);
  EXPECT_THROW(berry_esseen(subsampled_gaussian_moments(0, 1), 10), Unsupported);
  for (const double bad : {0.0, 0.5, 1e16, std::nan("")})
    EXPECT_THROW(berry_esseen({1, 3, 2, 5}, bad), InvalidArgument);
}

TEST(CentralLimit, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  for (const auto& mu :
       {clt_mu_poisson, clt_mu_without_replacement, clt_log_mu_poisson, clt_log_mu_without_replacement}) {
    for (const double bad : {-0.1, 1.1, nan}) EXPECT_THROW(mu(bad, 1, 1), InvalidArgument);
    for (const double bad : {0.0, -1.0, infinity, nan}) EXPECT_THROW(mu(0.5, bad, 1), InvalidArgument);
    for (const double bad : {-1.0, 1e16, nan}) EXPECT_THROW(mu(0.5, 1, bad), InvalidArgument);
  }
}

}  // namespace
}  // namespace dpbudget::tradeoff
