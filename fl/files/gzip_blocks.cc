#include "dpbudget/fl/files/gzip_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {
namespace {

constexpr int any_window_of_gzip = 16 + MAX_WBITS;
constexpr std::string_view magic = "\x1F\x8B";
constexpr std::size_t piece = 1 << 18;

// The fixed header, the length of the extra field, and in it a name, a length and a number.
constexpr std::size_t header_size = 10;
constexpr std::size_t field_size = 2 + 2 + 8;
constexpr std::size_t number_at = header_size + 2 + 4;
constexpr std::size_t block_head = number_at + 8;
constexpr char has_extra_field = 4;

using Bytes = std::array<char, 8>;

Bytes bytes_of(std::uint64_t number) {
  Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i) & 0xFFU);
  return bytes;
}

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

// How many bytes the block that begins there says that it has; nothing where it does not say.
std::optional<std::uint64_t> stated_size(std::string_view head) {
  if (head.size() < block_head || (head[3] & has_extra_field) == 0) return std::nullopt;
  const std::string_view extra = head.substr(header_size, 6);
  if (extra != std::string_view("\x0C\0DB\x08\0", 6)) return std::nullopt;
  return number_of(head.substr(number_at, 8));
}

Bytef* zlib_bytes(char* bytes) { return reinterpret_cast<Bytef*>(bytes); }

// zlib counts in 32 bits.
uInt few(std::size_t bytes) { return static_cast<uInt>(std::min<std::size_t>(bytes, 1U << 30U)); }

}  // namespace

std::string gzip_block(std::string text) {
  z_stream stream{};
  constexpr int most_memory = 9;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, any_window_of_gzip, most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> closed(&stream, deflateEnd);
  std::array<char, field_size> extra{'D', 'B', 8, 0};
  gz_header header{};
  header.os = 255;  // not told, so that the same text is the same block everywhere
  header.extra = zlib_bytes(extra.data());
  header.extra_len = extra.size();
  deflateSetHeader(&stream, &header);
  std::string block;
  int code = Z_OK;
  std::size_t given = 0;
  stream.next_in = zlib_bytes(text.data());
  while (code != Z_STREAM_END) {
    stream.avail_in = few(text.size() - given);
    const std::size_t before = block.size();
    block.resize(before + std::max<std::size_t>(text.size() / 4, 1024));
    stream.next_out = zlib_bytes(block.data() + before);
    stream.avail_out = few(block.size() - before);
    const uInt room = stream.avail_out;
    const uInt offered = stream.avail_in;
    code = deflate(&stream, given + offered == text.size() ? Z_FINISH : Z_NO_FLUSH);
    given += offered - stream.avail_in;
    block.resize(before + room - stream.avail_out);
  }
  std::ranges::copy(bytes_of(block.size()), block.begin() + number_at);
  return block;
}

void UnpackedText::End::operator()(z_stream* stream) const {
  inflateEnd(stream);
  delete stream;
}

UnpackedText::UnpackedText(std::istream& in) : in_(in) {
  fill(magic.size());
  is_packed_ = input_.starts_with(magic);
  if (!is_packed_) return;
  auto stream = std::make_unique<z_stream>();
  *stream = {};
  if (inflateInit2(stream.get(), any_window_of_gzip) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
}

std::optional<std::uint64_t> UnpackedText::end_of_block() const {
  if (is_within_) return std::nullopt;
  return position_ + used_;
}

// Until so many bytes are available, as far as there are so many.
bool UnpackedText::fill(std::size_t wanted) {
  if (available() >= wanted) return true;
  position_ += used_;
  input_.erase(0, used_);
  used_ = 0;
  // What a damaged block asks for may be more than there is, and than there is memory for.
  while (input_.size() < wanted && in_) {
    const std::size_t before = input_.size();
    input_.resize(before + std::max(piece, std::min<std::size_t>(wanted - before, 16 * piece)));
    in_.read(input_.data() + before, static_cast<std::streamsize>(input_.size() - before));
    input_.resize(before + static_cast<std::size_t>(in_.gcount()));
  }
  return input_.size() >= wanted;
}

bool UnpackedText::read(std::string& text) {
  if (is_packed_) return read_packed(text);
  fill(1);
  text.append(input_, used_);
  const bool is_any = available() > 0;
  used_ = input_.size();
  return is_any;
}

// gzip takes zeros behind the last block for nothing.
bool UnpackedText::is_rest_empty() {
  while (fill(1)) {
    if (input_.find_first_not_of('\0', used_) != std::string::npos) return false;
    used_ = input_.size();
  }
  return true;
}

// Whether what is there of a block, from where it begins, ends before the block does.
bool UnpackedText::runs_out() {
  std::string unpacked(piece, '\0');
  std::size_t taken = used_;
  int code = Z_OK;
  while (code == Z_OK) {
    stream_->next_in = zlib_bytes(input_.data() + taken);
    stream_->avail_in = few(input_.size() - taken);
    const uInt offered = stream_->avail_in;
    stream_->next_out = zlib_bytes(unpacked.data());
    stream_->avail_out = piece;
    code = inflate(stream_.get(), Z_NO_FLUSH);
    taken += offered - stream_->avail_in;
  }
  return code == Z_BUF_ERROR;
}

// Where none is left, or none that is whole, the text is at its end.
bool UnpackedText::begin_block() {
  if (!fill(1)) return false;
  if (input_[used_] == '\0' && is_rest_empty()) return false;
  ++blocks_;
  begin_ = position_ + used_;
  fill(block_head);
  size_ = stated_size(std::string_view(input_).substr(used_));
  if (blocks_ == 1) are_ours_ = size_.has_value();
  inflateReset(stream_.get());
  if (size_ && !fill(*size_)) {
    // It was cut off, or does not say the truth.
    if (!runs_out()) fail();
    is_torn_ = true;
    return false;
  }
  // Of ours one that was cut off has a length that reaches beyond the end, or is not even long enough to have it.
  may_be_torn_ = !size_ && (!are_ours_ || available() < block_head);
  is_within_ = true;
  return true;
}

bool UnpackedText::read_packed(std::string& text) {
  const std::size_t before = text.size();
  while (text.size() == before && !is_torn_) {
    if (!is_within_ && !begin_block()) return false;
    is_torn_ = !fill(1);
    if (is_torn_ && !may_be_torn_) fail();
    text.resize(before + piece);
    stream_->next_in = zlib_bytes(input_.data() + used_);
    stream_->avail_in = few(available());
    stream_->next_out = zlib_bytes(text.data() + before);
    stream_->avail_out = piece;
    const uInt offered = stream_->avail_in;
    int code = inflate(stream_.get(), Z_NO_FLUSH);
    // Of a block whose text fits exactly the end is still to come.
    if (code == Z_OK && stream_->avail_out == 0) code = inflate(stream_.get(), Z_NO_FLUSH);
    used_ += offered - stream_->avail_in;
    text.resize(text.size() - stream_->avail_out);
    if (code == Z_STREAM_END)
      is_within_ = false;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      fail();
    if (!is_within_ && size_ && begin_ + *size_ != position_ + used_) fail();
  }
  return text.size() > before;
}

void UnpackedText::fail() const { throw DamagedBlock(fmt::format("gzip block {} is damaged", blocks_)); }

}  // namespace dpbudget
