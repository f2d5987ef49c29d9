#include "dpbudget/accounting/concentrated/amplification.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

// 13 q^2 rho and log(1/q) / (4 rho), by mpmath.
TEST(TcdpAmplification, IsTheTheorem) {
  const TruncatedCdp usual = tcdp_amplify(0.01, {0.05, infinity});
  EXPECT_NEAR(usual.rho / 6.5e-5, 1, 1e-15);
  EXPECT_NEAR(usual.omega / 23.025850929940456840, 1, 1e-15);
  const TruncatedCdp edge = tcdp_amplify(0.1, {0.1, infinity});
  EXPECT_NEAR(edge.rho / 0.013, 1, 1e-15);
  EXPECT_NEAR(edge.omega / 5.7564627324851137517, 1, 1e-15);
  const TruncatedCdp tiny = tcdp_amplify(1e-9, {1e-200, infinity});
  EXPECT_NEAR(tiny.rho / 1.3e-217, 1, 1e-14);
  EXPECT_NEAR(tiny.omega / 5.1808164592366027890e200, 1, 1e-14);
  EXPECT_EQ(tcdp_amplify(0.01, {1e-320, infinity}).omega, std::numeric_limits<double>::max());
}

std::string refusal(double rate, const TruncatedCdp& sampled) {
  try {
    tcdp_amplify(rate, sampled);
  } catch (const Unsupported& unsupported) {
    return unsupported.what();
  }
  return "";
}

TEST(TcdpAmplification, NamesThePreconditionThatFails) {
  EXPECT_NE(refusal(std::nextafter(0.1, 1.0), {0.1, infinity}).find("sampling_rate <= 0.1"), std::string::npos);
  EXPECT_NE(refusal(1, {0.1, infinity}).find("sampling_rate <= 0.1"), std::string::npos);
  EXPECT_NE(refusal(0.1, {std::nextafter(0.1, 1.0), infinity}).find("rho <= 0.1"), std::string::npos);
  EXPECT_NE(refusal(0.1, {infinity, infinity}).find("rho <= 0.1"), std::string::npos);
  const double least = -std::log(0.05) / 2 / 0.02;
  EXPECT_EQ(refusal(0.05, {0.02, least}), "");
  EXPECT_NE(refusal(0.05, {0.02, std::nextafter(least, 0.0)}).find("omega >= log(1/sampling_rate) / (2 rho)"),
            std::string::npos);
}

// The remaining two preconditions say nothing new (accounting/concentrated/proofs.md, 4.1).
RC_GTEST_PROP(TcdpAmplification, RateAndRhoOfATenthImplyTheOtherPreconditions, ()) {
  const double rate = log_uniform(1e-300, 0.1);
  const double rho = log_uniform(1e-300, 0.1);
  RC_ASSERT(refusal(rate, {rho, infinity}).empty());
  const TruncatedCdp amplified = tcdp_amplify(rate, {rho, infinity});
  RC_ASSERT(amplified.rho <= 0.13 * rho * (1 + 1e-15));
  RC_ASSERT(amplified.omega > 5.75);
}

TEST(TcdpAmplification, RefusesBadInputByName) {
  for (const double rate : {0.0, -0.1, 1.5, nan}) EXPECT_THROW(tcdp_amplify(rate, {0.1, infinity}), InvalidArgument);
  for (const double rho : {0.0, -0.1, nan}) EXPECT_THROW(tcdp_amplify(0.1, {rho, infinity}), InvalidArgument);
  for (const double omega : {1.0, 0.0, nan}) EXPECT_THROW(tcdp_amplify(0.1, {0.1, omega}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
