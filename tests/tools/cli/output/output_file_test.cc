#include "dpbudget/tools/cli/output/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/file_lock.h"
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
  EXPECT_THROW(check_output_file("--ledger", path("")), CannotWrite);
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
  std::filesystem::create_hard_link(path("old"), path("hard"));
  refused(path("old"), path("hard"));
  check_output_files({{"--a", path("old")}, {"--b", path("folder/old")}});
}

TEST_F(OutputFile, KeepsWhatIsRead) {
  write("data", "mine");
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink(path("data"), path("link"));
  std::filesystem::create_hard_link(path("data"), path("hard"));
  for (const char* name : {"data", "folder/../data", "link", "hard"}) {
    EXPECT_REFUSED("--out is " + path(name) + ", but --in reads the same file",
                   check_output_files({{"--out", path(name)}}, {{"--in", path("data")}}));
    EXPECT_REFUSED("--out is " + path("data") + ", but --in reads the same file",
                   check_output_files({{"--out", path("data")}}, {{"--in", path(name)}}));
  }
  // Two readers of one file, and one of a file that is not there.
  check_output_files({{"--out", path("new")}},
                     {{"--in", path("data")}, {"--also", path("link")}, {"--gone", path("gone")}, {"--none", ""}});
}

TEST_F(OutputFile, CountsWhatIsWrittenFirst) {
  write("run.part", "mine");
  EXPECT_REFUSED("--out is " + path("run") + " by way of " + path("run.part") + ", but --in reads the same file",
                 check_output_files({{"--out", path("run")}}, {{"--in", path("run.part")}}));
  EXPECT_REFUSED("--b is " + path("run.part") + ", but --a goes to the same file",
                 check_output_files({{"--a", path("run")}, {"--b", path("run.part")}}));
}

// Another option of another run must not take it away from the run that holds it.
TEST_F(OutputFile, RefusesWhatAnotherRunIsWriting) {
  write("ledger", "begun");
  {
    FileLock held;
    ASSERT_TRUE(held.take(path("ledger")));
    EXPECT_REFUSED("--results is " + path("ledger") + ", which another run is writing",
                   check_output_file("--results", path("ledger")));
  }
  check_output_file("--results", path("ledger"));
  EXPECT_EQ(text_of("ledger"), "begun");
}

}  // namespace
}  // namespace dpbudget::tools
