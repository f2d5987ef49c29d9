#include "dpbudget/accounting/tradeoff/closed_forms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;
using testing::Precise;

double random_error() {
  const double error = log_uniform(1e-20, 1);
  return *rc::gen::arbitrary<bool>() ? error : 1 - error;
}

// The worst mechanism: with probability delta it gives the input away, else it is randomised response.
RC_GTEST_PROP(ApproximateTradeOff, IsThatOfItsWorstMechanism, ()) {
  const double epsilon = log_uniform(1e-6, 20);
  const double delta = log_uniform(1e-9, 1);
  const double a = random_error();
  const double truth = (1 - delta) / (1 + std::exp(-epsilon));
  const double lie = (1 - delta) / (1 + std::exp(epsilon));
  const double least = testing::least_type_two_error({{0, delta}, {lie, truth}, {truth, lie}, {delta, 0}}, a);
  RC_ASSERT(std::abs(approximate_type_two_error(a, epsilon, delta) - least) < 1e-14);
}

RC_GTEST_PROP(ApproximateTradeOff, HasItsLogarithmWhereItUnderflows, ()) {
  const double epsilon = log_uniform(1, 1e4);
  const double delta = log_uniform(1e-9, 0.5);
  const double a = log_uniform(1e-3, 0.4);
  const Precise flat = Precise(1) - delta - a;
  const Precise steep = Precise(1) - delta - exp(Precise(epsilon)) * a;
  const Precise log_truth = std::max(log(flat) - epsilon, steep > 0 ? Precise(log(steep)) : Precise(-1e6));
  RC_ASSERT(abs(approximate_log_type_two_error(a, epsilon, delta) - log_truth) < 1e-14 * (1 + abs(log_truth)));
}

// The test that rejects above t between Laplace noise around 0 and around epsilon.
RC_GTEST_PROP(LaplaceTradeOff, IsThatOfTheThresholdTests, ()) {
  const double epsilon = log_uniform(1e-6, 300);
  const double t = (*rc::gen::arbitrary<bool>() ? 1 : -1) * log_uniform(1e-3, 300);
  const auto below = [](const Precise& x) { return x < 0 ? Precise(exp(x) / 2) : Precise(1 - exp(-x) / 2); };
  const Precise exact = below(-t);
  const auto a = static_cast<double>(exact);
  RC_PRE(0 < a && a < 1 - 1e-9);
  const Precise at = a < 0.5 ? -log(Precise(2) * a) : log(2 * (1 - Precise(a)));
  RC_ASSERT(testing::log_error(laplace_log_type_two_error(a, epsilon), below(at - epsilon)) < 1e-12);
}

TEST(ClosedForms, HaveTheirEnds) {
  EXPECT_EQ(approximate_type_two_error(0, 700, 0.25), 0.75);
  EXPECT_EQ(approximate_type_two_error(1, 0, 0), 0);
  EXPECT_EQ(approximate_type_two_error(0.25, 0, 0), 0.75);
  EXPECT_EQ(approximate_type_two_error(0, 1, 1), 0);
  EXPECT_EQ(approximate_log_type_two_error(0.5, 1, 1), -infinity);
  EXPECT_EQ(laplace_log_type_two_error(0, 700), 0);
  EXPECT_EQ(laplace_log_type_two_error(1, 1), -infinity);
  EXPECT_DOUBLE_EQ(laplace_log_type_two_error(0.25, 0), std::log(0.75));
}

TEST(ClosedForms, RefuseWhatIsOutOfRange) {
  const double nan = std::nan("");
  for (const double bad : {-1e-300, 1.1, nan}) {
    EXPECT_THROW(approximate_type_two_error(bad, 1, 0.1), InvalidArgument);
    EXPECT_THROW(approximate_type_two_error(0.5, 1, bad), InvalidArgument);
    EXPECT_THROW(approximate_log_type_two_error(bad, 1, 0.1), InvalidArgument);
    EXPECT_THROW(laplace_log_type_two_error(bad, 1), InvalidArgument);
  }
  for (const double bad : {-1.0, infinity, nan}) {
    EXPECT_THROW(approximate_type_two_error(0.5, bad, 0.1), InvalidArgument);
    EXPECT_THROW(laplace_log_type_two_error(0.5, bad), InvalidArgument);
  }
}

}  // namespace
}  // namespace dpbudget::tradeoff
