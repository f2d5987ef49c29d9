/// @file
/// Lines of text that is plain or packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/fl/files/gzip_blocks.h"

namespace dpbudget {

/// What a line may have at most: packed text of a few megabytes could otherwise ask for all memory there is.
inline constexpr std::size_t longest_line = std::size_t{1} << 28U;

/// The lines that end in a newline, one after the other.
class WholeLines {
 public:
  /// @param in  outlives this
  explicit WholeLines(std::istream& in) : text_(in) {}

  /// The next line with its end; it lasts until the one after it.
  /// @throws DamagedBlock
  /// @throws InvalidArgument when it is longer than longest_line
  std::optional<std::string_view> next();

  bool are_packed() const { return text_.is_packed(); }

  /// Where in the file they end so far; nothing within a block of a packed one.
  std::optional<std::uint64_t> position() const;

  /// Whether what followed the last was cut off while it was written. Known when there is none any more.
  bool is_torn() const { return text_.is_torn() || used_ < unread_.size(); }

 private:
  UnpackedText text_;
  std::string unread_;  // of which `used_` bytes are used
  std::size_t used_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace dpbudget
