#include "dpbudget/fl/files/writable.h"

#include <gtest/gtest.h>

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

TEST(IsWritable, IsNotAFolderNorAFileInNone) {
  EXPECT_FALSE(is_writable(std::filesystem::temp_directory_path()));
  EXPECT_FALSE(is_writable("/nowhere/at/all"));
}

}  // namespace
}  // namespace dpbudget::fl
