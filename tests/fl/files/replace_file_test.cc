#include "dpbudget/fl/files/replace_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "accounting/base/full_disk.h"
#include "fl/small.h"

namespace dpbudget {
namespace {

using fl::TemporaryFile;

TEST(ReplaceFile, PutsTheNewInTheOldOnesPlace) {
  const TemporaryFile file;
  EXPECT_TRUE(replace_file(file.path(), {"one ", "two"}));
  EXPECT_EQ(file.text(), "one two");
  EXPECT_TRUE(replace_file(file.path(), {}));
  EXPECT_EQ(file.text(), "");
  EXPECT_FALSE(std::filesystem::exists(part_of(file.path())));
}

TEST(ReplaceFile, LeavesTheOldAndNothingElseWhenTheDiskIsFull) {
  const TemporaryFile file;
  const std::string large(100'000, 'x');
  {
    const FullDisk disk(50'000);
    EXPECT_FALSE(replace_file(file.path(), {"one ", large}));
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  std::ofstream(file.path()) << "old";
  for (const rlim_t bytes : {0, 50'000}) {
    const FullDisk disk(bytes);
    EXPECT_FALSE(replace_file(file.path(), {large}));
  }
  EXPECT_EQ(file.text(), "old");
  EXPECT_FALSE(std::filesystem::exists(part_of(file.path())));
}

TEST(ReplaceFile, IsRefusedByAFolder) {
  EXPECT_FALSE(replace_file("/nowhere/at/all", {"new"}));
  const TemporaryFile folder;
  std::filesystem::create_directory(folder.path());
  EXPECT_FALSE(replace_file(folder.path(), {"new"}));
  EXPECT_FALSE(std::filesystem::exists(part_of(folder.path())));
}

}  // namespace
}  // namespace dpbudget
