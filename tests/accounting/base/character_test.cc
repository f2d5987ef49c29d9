#include "dpbudget/accounting/base/character.h"

#include <gtest/gtest.h>

namespace dpbudget {
namespace {

using namespace std::string_view_literals;

TEST(Character, IsShownWhole) {
  EXPECT_EQ(shown_character("ab", 1), "b");
  EXPECT_EQ(shown_character("aü∞😀", 1), "ü");
  EXPECT_EQ(shown_character("aü∞😀", 3), "∞");
  EXPECT_EQ(shown_character("aü∞😀", 6), "😀");
}

TEST(Character, IsShownByItsByteWhereItCannotBe) {
  EXPECT_EQ(shown_character("a\0"sv, 1), "\\x00");
  EXPECT_EQ(shown_character("\x7f", 0), "\\x7f");
  EXPECT_EQ(shown_character("\xc3(", 0), "\\xc3");
  EXPECT_EQ(shown_character("\xe2\x88", 0), "\\xe2");
  EXPECT_EQ(shown_character("\x88\xff", 0), "\\x88");
  EXPECT_EQ(shown_character("\xff", 0), "\\xff");
}

TEST(Character, IsCounted) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("aü∞😀b"), 5U);
  EXPECT_EQ(character_count("\xc3(\xff"), 3U);
}

}  // namespace
}  // namespace dpbudget
