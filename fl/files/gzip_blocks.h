/// @file
/// Text that is packed piece by piece while it grows.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

/// A gzip member (RFC 1952) that says in its extra field, under the name DB, how many bytes it has: packed text is any
/// number of them, so that gzip unpacks all of it, and who looks for one of them, or for the last that is whole, goes
/// from one to the next without unpacking.
std::string gzip_block(std::string text);

/// A block that does not unpack to what it was.
class DamagedBlock : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// Text that is plain, or packed by gzip_block or any other gzip.
class UnpackedText {
 public:
  /// @param in  outlives this
  explicit UnpackedText(std::istream& in);

  bool is_packed() const { return is_packed_; }

  /// Appends the next piece to `text`.
  /// @return whether there was any more
  /// @throws DamagedBlock saying which
  bool read(std::string& text);

  /// Whether the packed text was cut off within a block: a gzip_block that is not whole is left out.
  bool is_torn() const { return is_torn_; }

  /// Where in the packed text the block ended that `read` has given the last of; nothing within a block.
  std::optional<std::uint64_t> end_of_block() const;

 private:
  struct End {
    void operator()(z_stream* stream) const;
  };

  std::size_t available() const { return input_.size() - used_; }
  bool fill(std::size_t wanted);
  bool begin_block();
  bool is_rest_empty();
  bool runs_out();
  bool read_packed(std::string& text);
  [[noreturn]] void fail() const;

  std::istream& in_;
  bool is_packed_ = false;
  std::string input_;  // of which `used_` bytes are used
  std::size_t used_ = 0;
  std::uint64_t position_ = 0;         // of the first byte of input_
  std::uint64_t blocks_ = 0;           // begun
  std::uint64_t begin_ = 0;            // where in the packed text the last of them begins
  std::optional<std::uint64_t> size_;  // that it says it has
  bool are_ours_ = false;              // the first block says how many bytes it has, so that all should
  bool may_be_torn_ = true;            // that block
  bool is_within_ = false;             // of it
  bool is_torn_ = false;
  std::unique_ptr<z_stream, End> stream_;
};

}  // namespace dpbudget
