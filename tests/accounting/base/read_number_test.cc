#include "dpbudget/accounting/base/read_number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
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
  for (const auto* text : {"", "-", "1,5", "1 ", "+1", "+inf", "1e400", "-1e400", "1e-400", "0.1e-400"})
    EXPECT_EQ(number_in(text), std::nullopt);
  EXPECT_EQ(number_in("0e400"), 0);
  EXPECT_EQ(number_in("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(number_in("nan").value()));
}

// The digits that tell a double from all others are read back as that double, under any locale.
RC_GTEST_PROP(NumberIn, ReadsEveryDoubleBack, ()) {
  const auto value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(!std::isnan(value));
  RC_ASSERT(number_in(fmt::format("{}", value)) == value);
}

// Halfway between 1 and the next double: to even, until a digit far behind says more.
TEST(NumberIn, IsTheNearestDouble) {
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  EXPECT_EQ(number_in(half), 1);
  EXPECT_EQ(number_in(half + std::string(700, '0') + "1"), 1 + std::numeric_limits<double>::epsilon());
}

TEST(LeadingNumber, EndsWhereTheNumberDoes) {
  EXPECT_EQ(leading_number("2.5e3x").length, 5U);
  EXPECT_EQ(leading_number("2.5e3x").value, 2500);
  EXPECT_EQ(leading_number("1e400,").length, 5U);
  EXPECT_EQ(leading_number("1e400,").value, std::nullopt);
  for (const auto* text : {"", "x", "+1", " 1"}) EXPECT_EQ(leading_number(text).length, 0U);
}

TEST(IntegerIn, IsNothingUnlessTheTypeHoldsTheWholeText) {
  EXPECT_EQ(integer_in<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(integer_in<std::uint64_t>("ff", 16), 255U);
  EXPECT_EQ(integer_in<std::int64_t>("-3"), -3);
  for (const auto* text : {"", "-1", "1.0", "1e3", "1 ", "18446744073709551616"})
    EXPECT_EQ(integer_in<std::uint64_t>(text), std::nullopt);
}

}  // namespace
}  // namespace dpbudget
