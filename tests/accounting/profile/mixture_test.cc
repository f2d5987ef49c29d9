#include "dpbudget/accounting/profile/mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"

namespace dpbudget::profile {
namespace {

using testing::Precise;

double random_rate() {
  return *rc::gen::arbitrary<bool>() ? testing::log_uniform(1e-9, 1) : 1 - testing::log_uniform(1e-15, 1);
}

double random_loss() { return (*rc::gen::arbitrary<bool>() ? 1 : -1) * testing::log_uniform(1e-12, 2000); }

RC_GTEST_PROP(Mixture, AgreesWithItsDefinition, ()) {
  const double rate = random_rate();
  const double loss = random_loss();
  const Precise truth = log(1 - Precise(rate) + rate * exp(Precise(loss)));
  RC_ASSERT(abs(mixture_loss(rate, loss) - truth) <= 0x1p-49 * (1 + abs(truth)));
}

RC_GTEST_PROP(Mixture, IsInvertedToWithinRounding, ()) {
  const double rate = random_rate();
  const double share = testing::log_uniform(1e-12, 1);
  const double loss = *rc::gen::arbitrary<bool>() ? random_loss() : std::log1p(-rate) * (1 - share);
  const double inner = unmixed_loss(rate, loss);
  if (loss <= std::log1p(-rate)) {
    RC_ASSERT(std::isinf(inner) && inner < 0);
  } else {
    const Precise back = log(1 - Precise(rate) + rate * exp(Precise(inner)));
    RC_ASSERT(abs(back - loss) <= 0x1p-49 * (1 + std::abs(loss) - std::log1p(-rate) + std::abs(inner)));
  }
}

TEST(Mixture, IsTheLossItselfAtRateOne) {
  for (const double loss : {-2000.0, -1.0, 0.0, 1e-20, 3000.0}) {
    EXPECT_EQ(mixture_loss(1, loss), loss);
    EXPECT_EQ(unmixed_loss(1, loss), loss);
  }
}

}  // namespace
}  // namespace dpbudget::profile
