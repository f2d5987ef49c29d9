#include "dpbudget/tools/cli/options/plan_tables.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/options/options.h"

namespace dpbudget::tools {
namespace {

std::string file_with(const std::string& text) {
  const std::string name =
      (std::filesystem::path(::testing::TempDir()) / ("table_" + std::to_string(text.size()) + ".csv")).string();
  std::ofstream(name) << text;
  return name;
}

TEST(PlanTables, StandInThePlaceOfTheFile) {
  const std::string commas = file_with("epsilon,delta\n# a comment\n0.5, 0.01\n\n1,1e-6 # the last\r\n");
  EXPECT_EQ(with_tables("3 x profile(@" + commas + ") + gaussian(1)"), "3 x profile(0.5:0.01, 1:1e-6) + gaussian(1)");
  const std::string blanks = file_with("2 0.1\n8\t0.5\n");
  EXPECT_EQ(with_tables("renyi( 2:1 ) + renyi(@" + blanks + ") + renyi(@" + blanks + ")"),
            "renyi( 2:1 ) + renyi(2:0.1, 8:0.5) + renyi(2:0.1, 8:0.5)");
  EXPECT_EQ(with_tables("gaussian(1)"), "gaussian(1)");
  const NamedFiles files = table_files("profile(@a.csv) + renyi(@ b.csv )");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].second, "a.csv");
  EXPECT_EQ(files[1].second, "b.csv");
  PlanArgument argument;
  argument.text = "profile(@" + commas + ")";
  EXPECT_EQ(argument.plan(), parse_plan("profile(0.5:0.01, 1:1e-6)"));
}

TEST(PlanTables, AreRefusedByFileAndLine) {
  const auto refused = [](const std::string& plan, const std::string& part) {
    try {
      with_tables(plan);
      ADD_FAILURE() << "accepted " << plan;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("profile(@/nowhere/at/all)", "/nowhere/at/all cannot be read");
  const std::string torn = file_with("epsilon delta\n1 0.1\n2 x\n");
  refused("profile(@" + torn + ")", "line 3 of " + torn);
  const std::string names = file_with("epsilon,delta\n");
  refused("profile(@" + names + ")", names + " is without a row");
}

}  // namespace
}  // namespace dpbudget::tools
