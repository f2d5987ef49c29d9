#include "dpbudget/accounting/shuffle/clones/sign_tail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// E[(X - level)_+] = 2 / m E[(B - c)_+] for c = m (1 + level) / 2, by quadrature.
double by_quadrature(double m, double level) {
  const long double c = (m + static_cast<long double>(m) * level) / 2;
  const long double first = std::floor(c) + 1;
  return std::log(2 / m) + numeric::log_expected_excess(numeric::Binomial::of_odds(m, 0), static_cast<double>(first),
                                                        static_cast<double>(first - c));
}

// On either side of where terms are no longer added one by one, which is at 2^32, and up to the largest number.
// accounting/shuffle/proofs.md, 1.3
RC_GTEST_PROP(SignTail, HoldsWhatQuadratureFinds, ()) {
  const double m = std::floor(log_uniform(0x1p28, 0x1p53));
  const double level = std::min(0.4, log_uniform(1e-6, 35) / std::sqrt(m));
  const double negligible = log_uniform(1e-16, 1e-5);
  const numeric::Bracket found = log_sign_tail(m, {level, 1 - level, 0x1p-53 * level}, negligible);
  const double truth = by_quadrature(m, level);
  const double slack = 1e-9 + 1e-12 * std::abs(truth);
  RC_ASSERT(found.lower <= truth + slack);
  RC_ASSERT(found.upper >= truth - slack);
  RC_ASSERT(found.upper - found.lower <= std::max(100 * negligible, 2e-5));
}

// accounting/shuffle/proofs.md, 1.4
TEST(SignTail, DoesNotJumpWhereJumpsBegin) {
  for (const double level : {0.0, 1e-5, 3e-4}) {
    const numeric::Bracket before = log_sign_tail(0x1p32 - 4, {level, 1 - level, 0}, 1e-12);
    const numeric::Bracket after = log_sign_tail(0x1p32 + 4, {level, 1 - level, 0}, 1e-12);
    EXPECT_LE(after.lower, before.upper);
    EXPECT_NEAR(after.upper, before.upper, 3e-5);
  }
}

}  // namespace
}  // namespace dpbudget::shuffle
