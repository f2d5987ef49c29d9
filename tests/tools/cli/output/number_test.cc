#include "dpbudget/tools/cli/output/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/read_number.h"

namespace dpbudget::tools {
namespace {

RC_GTEST_PROP(RoundedUp, IsNeverBelowAndCloseAbove, ()) {
  const double value = testing::log_uniform(1e-200, 1e200);
  const double printed = read_number("printed", rounded_up(value));
  RC_ASSERT(printed >= value);
  RC_ASSERT(printed <= value * (1 + 2e-5));
}

RC_GTEST_PROP(RoundedUp, OfALogarithmIsNeverBelow, ()) {
  const double log_value = -testing::log_uniform(1, 1e6);
  const std::string printed = rounded_up_exp(log_value);
  const std::size_t e = printed.find('e');
  const double mantissa = read_number("mantissa", printed.substr(0, e));
  const double exponent = e == std::string::npos ? 0 : read_number("exponent", printed.substr(e + 1));
  const double log_printed = std::log(mantissa) + exponent * std::log(10.0);
  RC_ASSERT(log_printed >= log_value - 1e-9);
  RC_ASSERT(log_printed <= log_value + 1e-4);
}

TEST(RoundedUp, KeepsRoundNumbers) {
  EXPECT_EQ(rounded_up(0.25), "0.25");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(1504), "1504");
  EXPECT_EQ(rounded_up(2.9992301), "2.99924");
  EXPECT_EQ(rounded_up_exp(-std::numeric_limits<double>::infinity()), "0");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1264767), "1,264,767");
}

TEST(RoundedUp, KeepsDeltasOnTheirSideHoweverSmall) {
  EXPECT_EQ(rounded_up_exp(-4.9999999999e19), "exp(-4.99999e+19)");
  EXPECT_EQ(rounded_down_exp(-4.9999999999e19), "exp(-5e+19)");
  // Mantissas next to a power of ten.
  EXPECT_EQ(rounded_down_exp(-1000 * std::numbers::ln10), "9.99998e-1001");
  EXPECT_EQ(rounded_up_exp(-1000 * std::numbers::ln10), "1.00001e-1000");
  EXPECT_EQ(rounded_up_exp(-999.99999999 * std::numbers::ln10), "1.00001e-1000");
  EXPECT_EQ(rounded_up_exp(-1000.00000001 * std::numbers::ln10), "1.00000e-1000");
}

}  // namespace
}  // namespace dpbudget::tools
