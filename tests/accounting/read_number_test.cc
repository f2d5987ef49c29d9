#include "dpbudget/accounting/read_number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/refused.h"

namespace dpbudget {
namespace {

TEST(ReadNumber, TakesWholeNumbersOnlyForCounts) {
  EXPECT_EQ(read_count("count", "1e6"), 1000000U);
  for (const auto* text : {"", "x", "1x", "1.5", "-1", "nan", "inf", "1e400", "1e17"})
    EXPECT_REFUSED("count", read_count("count", text));
  for (const auto* text : {"", "x", "1x", "1e400", " 1", "0x10"}) EXPECT_REFUSED("number", read_number("number", text));
  EXPECT_EQ(read_count("n", "9007199254740992"), 9007199254740992U);
  EXPECT_REFUSED("n", read_count("n", "9007199254740993"));
}

TEST(NumberIn, IsNothingUnlessTheWholeTextIsANumber) {
  EXPECT_EQ(number_in("-1.25e-3"), -1.25e-3);
  EXPECT_TRUE(std::isinf(number_in("inf").value()));
  for (const auto* text : {"", "-", "1,5", "1 ", "+1", "1e400", "1e-400"}) EXPECT_EQ(number_in(text), std::nullopt);
}

}  // namespace
}  // namespace dpbudget
