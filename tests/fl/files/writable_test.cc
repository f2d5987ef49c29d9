#include "dpbudget/fl/files/writable.h"

#include <gtest/gtest.h>

#include <thread>

#include "dpbudget/fl/files/file_lock.h"
#include "fl/small.h"

namespace dpbudget::fl {
namespace {

TEST(IsWritable, ChangesNothing) {
  const TemporaryFile file;
  EXPECT_TRUE(is_writable(file.path()));
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  std::ofstream(file.path()) << "earlier\n";
  EXPECT_TRUE(is_writable(file.path()));
  EXPECT_EQ(file.text(), "earlier\n");
}

// A file that is made to see whether it can be made is taken away again, but not from a run that has begun to write it.
TEST(IsWritable, TakesNothingFromWhoBeginsMeanwhile) {
  const TemporaryFile file;
  for (int i = 0; i < 300; ++i) {
    std::filesystem::remove(file.path());
    std::thread asks([&] { EXPECT_TRUE(is_writable(file.path())); });
    FileLock lock;
    while (!lock.take(file.path())) std::this_thread::yield();
    std::ofstream(file.path()) << "begun";
    asks.join();
    ASSERT_EQ(file.text(), "begun") << i;
  }
}

TEST(IsWritable, IsNotAFolderNorAFileInNone) {
  EXPECT_FALSE(is_writable(std::filesystem::temp_directory_path()));
  EXPECT_FALSE(is_writable("/nowhere/at/all"));
}

}  // namespace
}  // namespace dpbudget::fl
