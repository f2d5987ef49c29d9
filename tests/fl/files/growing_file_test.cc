#include "dpbudget/fl/files/growing_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "accounting/base/full_disk.h"
#include "fl/small.h"

namespace dpbudget {
namespace {

using fl::TemporaryFile;

TEST(GrowingFile, HoldsEachPieceAtOnce) {
  const TemporaryFile file;
  std::ofstream(file.path()) << "old";
  GrowingFile growing(file.path());
  EXPECT_EQ(file.text(), "old");
  growing.begin();
  EXPECT_TRUE(growing.append("one\n"));
  EXPECT_EQ(file.text(), "one\n");
  EXPECT_TRUE(growing.append("two\n"));
  EXPECT_EQ(file.text(), "one\ntwo\n");
  GrowingFile again(file.path());
  again.go_on();
  EXPECT_TRUE(again.append("three\n"));
  EXPECT_EQ(file.text(), "one\ntwo\nthree\n");
  again.begin();
  EXPECT_EQ(file.text(), "");
}

TEST(GrowingFile, TakesBackThePieceThatDoesNotFit) {
  const TemporaryFile file;
  const std::string large(100'000, 'x');
  GrowingFile growing(file.path());
  growing.begin();
  EXPECT_TRUE(growing.append("one\n"));
  {
    const FullDisk disk(50'000);
    EXPECT_FALSE(growing.append(large));
    EXPECT_EQ(file.text(), "one\n");
    growing.go_on();
    EXPECT_TRUE(growing.append("two\n"));
    EXPECT_FALSE(growing.append(large));
    EXPECT_EQ(file.text(), "one\ntwo\n");
    growing.begin();
    EXPECT_FALSE(growing.append(large));
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(GrowingFile, LeavesADeviceAlone) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  GrowingFile growing("/dev/full");
  growing.begin();
  EXPECT_FALSE(growing.append("one\n"));
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST(GrowingFile, IsNoneInNoFolder) {
  GrowingFile growing("/nowhere/at/all");
  growing.begin();
  EXPECT_FALSE(growing.append("one\n"));
}

}  // namespace
}  // namespace dpbudget
