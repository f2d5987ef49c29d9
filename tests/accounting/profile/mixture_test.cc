#include "dpbudget/accounting/profile/mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"

namespace dpbudget::profile {
namespace {

using testing::Precise;

double random_rate() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return testing::log_uniform(1e-9, 1);
    case 1:
      return testing::log_uniform(1e-305, 1);
    default:
      return 1 - testing::log_uniform(1e-15, 1);
  }
}

double random_loss() { return (*rc::gen::arbitrary<bool>() ? 1 : -1) * testing::log_uniform(1e-12, 2000); }

// log(1 - rate + rate e^loss), without the cancellation that 100 digits are too few for.
Precise mixed(double rate, const Precise& loss) { return log1p(rate * expm1(loss)); }

RC_GTEST_PROP(Mixture, AgreesWithItsDefinitionInAllDigits, ()) {
  const double rate = random_rate();
  const double loss = random_loss();
  const Precise truth = mixed(rate, loss);
  const Precise relative = 2 * abs(truth);
  RC_ASSERT(abs(mixture_loss(rate, loss) - truth) <= 0x1p-49 * std::min(1 + abs(truth), relative) + 0x1p-1070);
}

RC_GTEST_PROP(Mixture, HasTheSlopeOfItsDefinition, ()) {
  const double rate = random_rate();
  const Precise loss = random_loss();
  const Precise truth = rate * exp(loss - mixed(rate, loss));
  const double slope = mixture_slope(rate, static_cast<double>(loss));
  RC_ASSERT(slope >= truth * (1 - Precise(1e-80)));  // its digits are a hundred
  RC_ASSERT(slope <= truth * (1 + 1e-13) + 1e-307);
}

RC_GTEST_PROP(Mixture, IsInvertedToWithinRounding, ()) {
  const double rate = random_rate();
  const double share = testing::log_uniform(1e-12, 1);
  const double least = std::log1p(-rate);
  const double loss = *rc::gen::arbitrary<bool>() ? random_loss() : least * (1 - share);
  const double inner = unmixed_loss(rate, loss);
  if (loss <= least) {
    RC_ASSERT(std::isinf(inner) && inner < 0);
    return;
  }
  const Precise error = abs(mixed(rate, inner) - loss);
  const double own = 0x1p-49 * std::abs(inner) * mixture_slope(rate, inner * (inner > 0 ? 1 + 1e-12 : 1 - 1e-12));
  RC_ASSERT(error <= own + 0x1p-48 * (std::abs(loss) - least) + 0x1p-1070);
  RC_ASSERT(error <= 0x1p-49 * (1 + std::abs(inner) - least));
}

TEST(Mixture, IsTheLossItselfAtRateOne) {
  for (const double loss : {-2000.0, -1.0, 0.0, 1e-20, 3000.0}) {
    EXPECT_EQ(mixture_loss(1, loss), loss);
    EXPECT_EQ(unmixed_loss(1, loss), loss);
  }
}

}  // namespace
}  // namespace dpbudget::profile
