/// @file
/// Reading a data file from front to end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dpbudget::fl {

/// A plain or gzipped file, told apart by its first bytes. Every error is an InvalidArgument of one line that begins
/// with the file's name. Memory is taken for bytes that were read, never on a header's word.
class ByteFile {
 public:
  using Bytes = std::vector<std::uint8_t>;

  /// @throws InvalidArgument when the file cannot be opened or is a directory
  explicit ByteFile(const std::filesystem::path& path);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;
  ByteFile(ByteFile&&) = delete;
  ByteFile& operator=(ByteFile&&) = delete;

  /// The next `count` bytes.
  /// @throws InvalidArgument when the file ends before, or its compression is damaged
  Bytes take(std::uint64_t count);

  /// The same, or nothing where none is left.
  std::optional<Bytes> take_unless_at_end(std::uint64_t count);

  /// All bytes that are left.
  /// @throws InvalidArgument when the compression is damaged
  Bytes take_rest();

  /// @throws InvalidArgument when bytes are left
  void require_end();

  /// @throws InvalidArgument "FILE: reason"
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  class Stream;  // zlib's, which stays out of this header

  std::size_t read(std::span<std::uint8_t> bytes);

  std::filesystem::path path_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace dpbudget::fl
