#include "dpbudget/fl/data/byte_file.h"

#include <gtest/gtest.h>

#include <string>

#include "fl/data/data_files.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Bytes = ByteFile::Bytes;

class ByteFileTest : public DataFiles {};

TEST_F(ByteFileTest, TakesPlainAndGzippedBytesInOrder) {
  for (const auto& path : {plain("plain", "abcdef"), gzipped("gzipped", "abcdef")}) {
    ByteFile file(path);
    EXPECT_EQ(file.take(2), (Bytes{'a', 'b'}));
    EXPECT_EQ(file.take(0), Bytes{});
    EXPECT_REFUSED(path.string() + ": has bytes after its end", file.require_end());
    EXPECT_EQ(file.take_rest(), (Bytes{'d', 'e', 'f'}));
    EXPECT_EQ(file.take_rest(), Bytes{});
    EXPECT_NO_THROW(file.require_end());
    EXPECT_REFUSED(path.string() + ": is truncated: 3 bytes are missing", file.take(3));
    EXPECT_REFUSED(path.string() + ": why", file.fail("why"));
  }
}

// Below, at and above the size of a piece.
TEST_F(ByteFileTest, TakesTheRestHoweverLong) {
  for (const std::size_t size :
       {std::size_t{0}, (std::size_t{1} << 20) - 1, std::size_t{1} << 20, std::size_t{3} << 20}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 1000) text[i] = static_cast<char>(i / 1000 % 100);
    ByteFile file(plain("long", text));
    EXPECT_EQ(file.take_rest(), Bytes(text.begin(), text.end())) << size;
    ByteFile again(plain("long", text));
    EXPECT_EQ(again.take(size), Bytes(text.begin(), text.end())) << size;
  }
}

TEST_F(ByteFileTest, RefusesDamageInTheRest) {
  const std::string whole = contents(gzipped("whole", "some text that is compressed"));
  const auto cut = plain("cut", whole.substr(0, whole.size() - 5));
  ByteFile file(cut);
  EXPECT_REFUSED(cut.string() + ": is truncated", file.take_rest());
  EXPECT_REFUSED((folder_ / "none").string() + ": No such file", ByteFile(folder_ / "none"));
  EXPECT_REFUSED(folder_.string() + ": is a directory", (ByteFile(folder_)));
}

}  // namespace
}  // namespace dpbudget::fl
