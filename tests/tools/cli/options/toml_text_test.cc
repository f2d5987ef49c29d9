#include "dpbudget/tools/cli/options/toml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace dpbudget::tools {
namespace {

TEST(TomlText, MayHoldAnyLettersInTextsAndComments) {
  for (const std::string text : {"", "rounds = 3\n", "# größer\nnoise = 3 # ˤ", "schedule = 'größer.csv' # a",
                                 "model = \"a \\\" ˤ # ˤ\"\r\nclip = 1", "model = 'a\\' # ˤ", "\xEF\xBB\xBFrounds = 3",
                                 "silo_noise = [1, 2] # '''", "model = '\"\"\"'"})
    EXPECT_FALSE(first_flaw(text)) << text;
}

TEST(TomlText, SaysWhereItHoldsOthers) {
  const auto flaw = first_flaw("rounds = 3\nmodel = \"#\" ˤ");
  ASSERT_TRUE(flaw);
  EXPECT_EQ(flaw->line, 2U);
  EXPECT_EQ(flaw->column, 13U);
  for (const std::string text : {"größe = 1", "silo_noise = [1.0, 2, 3.ˤ\n", "model = '\\' ˤ", "a = \"\"\"\\\nˤ\"\"\"",
                                 "a = '''b'''", "\n\xCC\xAA"})
    EXPECT_TRUE(first_flaw(text)) << text;
}

}  // namespace
}  // namespace dpbudget::tools
