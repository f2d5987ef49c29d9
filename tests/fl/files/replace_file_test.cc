#include "dpbudget/fl/files/replace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
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

TEST(ReplaceFile, LeavesALinkOne) {
  const TemporaryFile file;
  const TemporaryFile link;
  std::filesystem::create_symlink(file.path(), link.path());
  for (const char* text : {"one", "two"}) {
    EXPECT_TRUE(replace_file(link.path(), {text}));
    EXPECT_TRUE(std::filesystem::is_symlink(link.path()));
    EXPECT_EQ(file.text(), text);
  }
}

// Whoever is root could put a file in its place.
TEST(ReplaceFile, WritesToADeviceAsItIs) {
  const TemporaryFile pipe;
  ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
  const int reader = open(pipe.path().c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(replace_file(pipe.path(), {"one ", "two"}));
  std::array<char, 16> read_back{};
  EXPECT_EQ(read(reader, read_back.data(), read_back.size()), 7);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe.path()));
  EXPECT_FALSE(replace_file("/dev/full", {"text"}));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace dpbudget
