#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;
using Precise = boost::multiprecision::cpp_bin_float_100;

Precise mixed(double rate, const Precise& loss) { return log1p(rate * expm1(loss)); }

// A loss that is off by as much as is declared, then mixed with rounding, against the true one mixed in 100 digits.
// accounting/loss_distribution/proofs.md, 4.2
RC_GTEST_PROP(MixedErrors, BoundWhatBecomesOfAnError, ()) {
  const double rate = log_uniform(1e-300, 1);
  const double largest = log_uniform(1e-3, 700);
  const double loss = (*rc::gen::arbitrary<bool>() ? 1 : -1) * largest * log_uniform(1e-6, 1);
  const PieceErrors errors{
      .mass = 0, .infinity = 0, .barycentre = log_uniform(1e-18, 1), .loss = log_uniform(1e-18, 1)};
  const double farthest = std::max(profile::mixture_loss(rate, largest), -profile::mixture_loss(rate, -largest));
  const PieceErrors found = mixed_errors(errors, rate, largest, farthest);
  for (const int sign : {-1, +1}) {
    const Precise computed = profile::mixture_loss(rate, loss);
    RC_ASSERT(abs(computed - mixed(rate, loss + sign * Precise(errors.barycentre))) <= found.barycentre);
    RC_ASSERT(abs(computed - mixed(rate, loss + sign * Precise(errors.loss))) <= found.loss);
  }
}

TEST(MixedErrors, AreAsSmallAsTheMixturesLosses) {
  const PieceErrors found = mixed_errors({.barycentre = 1e-13, .loss = 1e-13}, 1e-40, 30, 1e-40 * std::exp(30));
  EXPECT_LT(found.loss, 1e-12 * 1e-40 * std::exp(30));
  EXPECT_LT(found.barycentre, 1e-12 * 1e-40 * std::exp(30));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
