#include "dpbudget/accounting/base/split.h"

#include <gtest/gtest.h>

namespace dpbudget {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, HasOnePartMoreThanSeparators) {
  EXPECT_EQ(split("a,bc,d", ','), (Parts{"a", "bc", "d"}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
  EXPECT_EQ(split("a|b", ','), (Parts{"a|b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
}

TEST(Trimmed, KeepsWhatStandsBetweenBlanks) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace dpbudget
