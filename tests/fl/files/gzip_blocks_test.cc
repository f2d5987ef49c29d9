#include "dpbudget/fl/files/gzip_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "dpbudget/fl/files/whole_lines.h"
#include "mechanisms/refused.h"

namespace dpbudget {
namespace {

// What any gzip makes of text: one member without our field.
std::string foreign_gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

struct Unpacked {
  std::string text;
  bool is_torn;
};

Unpacked unpacked(const std::string& bytes) {
  std::istringstream in(bytes);
  UnpackedText unpack(in);
  std::string text;
  while (unpack.read(text)) {
  }
  return {text, unpack.is_torn()};
}

// So many bytes that do not all look alike.
std::string some_text(std::size_t size) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < size; ++i) text += std::to_string(i * 2654435761U % 1000003U) + ",";
  text.resize(size);
  return text;
}

TEST(GzipBlocks, UnpackToWhatTheyWere) {
  // Pieces are 2^18 bytes: those that fit exactly, and those that do not.
  for (const std::size_t size : {1UL, 1000UL, (1UL << 18U) - 1, 1UL << 18U, (1UL << 18U) + 1, 1UL << 20U, 3000000UL}) {
    const std::string text = some_text(size);
    const std::string packed = gzip_block(text) + gzip_block("and more\n") + gzip_block(text);
    const Unpacked found = unpacked(packed);
    EXPECT_TRUE(found.text == text + "and more\n" + text) << size;
    EXPECT_FALSE(found.is_torn);
    EXPECT_EQ(gzip_block(text), gzip_block(text));
  }
}

TEST(GzipBlocks, AreReadBesideThoseOfOtherPrograms) {
  const std::string text = some_text(700000);
  const Unpacked found = unpacked(foreign_gzip(text) + gzip_block(text) + foreign_gzip("x"));
  EXPECT_TRUE(found.text == text + text + "x");
  EXPECT_FALSE(found.is_torn);
}

TEST(GzipBlocks, LeavePlainTextAlone) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("\x1F"), some_text(600000)}) {
    const Unpacked found = unpacked(text);
    EXPECT_TRUE(found.text == text);
    EXPECT_FALSE(found.is_torn);
  }
}

// Whatever byte the last write stopped at, what stands before is there, and nothing of the block.
RC_GTEST_PROP(GzipBlocks, DropOneThatIsTorn, ()) {
  const std::string first = gzip_block("first\n");
  const std::string second = gzip_block(some_text(5000));
  const auto kept = *rc::gen::inRange<std::size_t>(1, second.size());
  const Unpacked found = unpacked(first + second.substr(0, kept));
  RC_ASSERT(found.is_torn);
  // Of less than a head it cannot be told whose block it is; nothing can be unpacked of it either.
  RC_ASSERT(found.text == "first\n");
}

RC_GTEST_PROP(GzipBlocks, ShowDamage, ()) {
  const std::string text = some_text(5000);
  std::string packed = gzip_block("first\n") + gzip_block(text);
  const auto at = *rc::gen::inRange<std::size_t>(0, packed.size());
  packed[at] = static_cast<char>(packed[at] ^ *rc::gen::inRange(1, 256));
  try {
    const Unpacked found = unpacked(packed);
    // A header says much that does not matter; by that of the first block it may be another program's that was cut off.
    RC_ASSERT(found.is_torn || found.text == "first\n" + text || found.text == packed);
  } catch (const DamagedBlock& error) {
    RC_ASSERT(std::string(error.what()).starts_with("gzip block "));
  }
}

// A length that is not so must not make the rest of the text look as if it had been cut off.
TEST(GzipBlocks, SayTheTruthAboutTheirLength) {
  const std::string first = gzip_block("first\n");
  const std::string rest = gzip_block(some_text(300000)) + gzip_block("last\n");
  constexpr std::size_t length_at = 16;
  for (const int byte : {0, 1, 3, 4, 5, 7})
    for (const char added : {'\x01', '\x7F', '\xFF'}) {
      std::string damaged = first + rest;
      char& at = damaged[first.size() + length_at + static_cast<std::size_t>(byte)];
      at = static_cast<char>(at + added);
      EXPECT_THROW(unpacked(damaged), DamagedBlock) << byte;
    }
  // The length of its extra field, by which the rest would be skipped.
  std::string damaged = first + rest.substr(0, 5000);
  damaged[first.size() + 10] = '\xFF';
  damaged[first.size() + 11] = '\xFF';
  EXPECT_THROW(unpacked(damaged), DamagedBlock);
}

TEST(GzipBlocks, MayBeFollowedByZeros) {
  for (const std::size_t zeros : {1U, 512U, 300000U}) {
    const Unpacked found = unpacked(gzip_block("first\n") + std::string(zeros, '\0'));
    EXPECT_EQ(found.text, "first\n");
    EXPECT_FALSE(found.is_torn);
    EXPECT_THROW(unpacked(gzip_block("first\n") + std::string(zeros, '\0') + "x"), DamagedBlock);
  }
}

TEST(WholeLines, AreNotLongerThanMemoryIsLarge) {
  // A few kilobytes that unpack to more than a line may have.
  std::string packed = gzip_block("first\n");
  const std::string block = gzip_block(std::string(1U << 24U, ' '));
  for (int i = 0; i < 17; ++i) packed += block;
  std::istringstream in(packed);
  WholeLines lines(in);
  EXPECT_EQ(lines.next(), "first\n");
  EXPECT_REFUSED("a line is longer than 268435456 bytes", lines.next());
}

TEST(WholeLines, KnowWhereTheyEnd) {
  const std::string first = gzip_block("a\nb\n");
  const std::string second = gzip_block("c\n");
  std::istringstream packed(first + second);
  WholeLines lines(packed);
  EXPECT_TRUE(lines.are_packed());
  EXPECT_EQ(lines.next(), "a\n");
  EXPECT_EQ(lines.position(), std::nullopt);
  EXPECT_EQ(lines.next(), "b\n");
  EXPECT_EQ(lines.position(), first.size());
  EXPECT_EQ(lines.next(), "c\n");
  EXPECT_EQ(lines.position(), first.size() + second.size());
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_FALSE(lines.is_torn());
  std::istringstream plain("a\nbc\nd");
  WholeLines others(plain);
  EXPECT_EQ(others.next(), "a\n");
  EXPECT_EQ(others.next(), "bc\n");
  EXPECT_EQ(others.position(), 5U);
  EXPECT_EQ(others.next(), std::nullopt);
  EXPECT_TRUE(others.is_torn());
}

}  // namespace
}  // namespace dpbudget
