#include "dpbudget/tools/cli/options/help.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

namespace dpbudget::tools {
namespace {

TEST(HelpFormatter, BreaksWhatIsLongAndKeepsExamples) {
  const std::string example = "  dpbudget " + std::string(120, 'x');
  CLI::App app;
  app.formatter(std::make_shared<HelpFormatter>());
  std::string value;
  std::string long_text;
  for (int i = 0; i < 60; ++i) long_text += "word" + std::to_string(i) + " ";
  app.add_option("--an-option-with-a-name-beyond-its-column", value, long_text);
  app.add_option("--short", value, long_text);
  app.footer("Examples:\n" + example + "\n" + long_text + "\ngoes on\n\nanother paragraph");
  const std::string help = app.help();
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.size() <= 100 || line == example) << line;
  EXPECT_NE(help.find("Examples:\n" + example + "\nword0 word1 "), std::string::npos) << help;
  EXPECT_NE(help.find("word59 goes on\n\nanother paragraph\n"), std::string::npos) << help;
}

}  // namespace
}  // namespace dpbudget::tools
