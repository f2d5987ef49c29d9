#include "dpbudget/tools/cli/output/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "mechanisms/refused.h"
#include "tools/cli/program.h"

namespace dpbudget::tools {
namespace {

using OutputFile = testing::Program;

TEST_F(OutputFile, ChangesNothing) {
  write("old", "kept");
  check_output_files({{"--old", path("old")}, {"--new", path("new")}, {"--none", ""}, {"--neither", ""}});
  EXPECT_EQ(std::filesystem::file_size(path("old")), 4U);
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

TEST_F(OutputFile, RefusesWhatCannotBeWritten) {
  EXPECT_REFUSED("--ledger is " + path("missing/a") + ", but there is no folder " + path("missing"),
                 check_output_file("--ledger", path("missing/a")));
  EXPECT_REFUSED("--ledger is " + path("") + ", which cannot be opened", check_output_file("--ledger", path("")));
}

// By whatever name, and whether it is there or not.
TEST_F(OutputFile, KnowsAFileByAnyName) {
  std::filesystem::create_directory(path("folder"));
  const auto refused = [&](const std::string& one, const std::string& other) {
    EXPECT_REFUSED("--b is " + other + ", but --a goes to the same file",
                   check_output_files({{"--a", one}, {"--b", other}}));
  };
  refused(path("new"), path("folder/../new"));
  refused(path("new"), std::filesystem::relative(path("new")).string());
  write("old", "kept");
  std::filesystem::create_symlink(path("old"), path("link"));
  refused(path("old"), path("link"));
  check_output_files({{"--a", path("old")}, {"--b", path("folder/old")}});
}

}  // namespace
}  // namespace dpbudget::tools
