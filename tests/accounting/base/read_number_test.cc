#include "dpbudget/accounting/base/read_number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "mechanisms/refused.h"

namespace dpbudget {
namespace {

TEST(ReadNumber, TakesWholeNumbersOnlyForCounts) {
  EXPECT_EQ(read_count("count", "1e6"), 1000000U);
  for (const auto* text : {"", "x", "1x", "1.5", "-1", "nan", "inf", "1e400", "1e17"})
    EXPECT_REFUSED("count", read_count("count", text));
  for (const auto* text : {"", "x", "1x", "1e400", " 1", "0x10"}) EXPECT_REFUSED("number", read_number("number", text));
  EXPECT_EQ(read_count("n", "9007199254740992"), 9007199254740992U);
  for (const auto* text : {"9007199254740993", "9007199254740992.4", "9.0071992547409924e15", "2.0000000000000001",
                           "1.00000000000000000000000001", "1e-30", "0.5", "-2"})
    EXPECT_REFUSED("n", read_count("n", text));
  for (const auto* text : {"2", "2.", "2.000000000000000000000", "0.2e1", "20e-1", "0002", "0.00000002E+8"})
    EXPECT_EQ(read_count("n", text), 2U) << text;
  EXPECT_EQ(read_count("n", "9.007199254740992e15"), 9007199254740992U);
  EXPECT_EQ(read_count("n", "900719925474099200000000e-8"), 9007199254740992U);
  for (const auto* text : {"0", "-0", "0.000", "0e9"}) EXPECT_EQ(read_count("n", text), 0U) << text;
}

// Whole numbers stay what they are however they are written.
RC_GTEST_PROP(ReadNumber, CountsAreExact, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, (1ULL << 53) + 1);
  const std::string digits = std::to_string(count);
  const int shift = *rc::gen::inRange(0, 20);
  RC_ASSERT(read_count("n", digits + std::string(static_cast<std::size_t>(shift), '0') + "e-" +
                                std::to_string(shift)) == count);
  RC_ASSERT(read_count("n", digits.substr(0, 1) + "." + digits.substr(1) + "e" + std::to_string(digits.size() - 1)) ==
            count);
  EXPECT_REFUSED("n", read_count("n", digits + "." + std::string(static_cast<std::size_t>(shift), '0') + "1"));
}

TEST(NumberIn, IsNothingUnlessTheWholeTextIsANumber) {
  EXPECT_EQ(number_in("-1.25e-3"), -1.25e-3);
  EXPECT_TRUE(std::isinf(number_in("inf").value()));
  for (const auto* text : {"", "-", "1,5", "1 ", "+1", "1e400", "1e-400"}) EXPECT_EQ(number_in(text), std::nullopt);
}

}  // namespace
}  // namespace dpbudget
