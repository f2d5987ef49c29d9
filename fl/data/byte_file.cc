#include "dpbudget/fl/data/byte_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint64_t piece = 1 << 20;

}  // namespace

class ByteFile::Stream {
 public:
  explicit Stream(const std::filesystem::path& path) : file_(gzopen(path.c_str(), "rb")) {}
  ~Stream() {
    if (file_ != nullptr) gzclose(file_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;

  gzFile get() const { return file_; }

 private:
  gzFile file_;
};

ByteFile::ByteFile(const std::filesystem::path& path) : path_(path) {
  errno = 0;
  stream_ = std::make_unique<Stream>(path);
  if (stream_->get() == nullptr) fail(errno != 0 ? std::strerror(errno) : "cannot be opened");
  if (std::filesystem::is_directory(path)) fail("is a directory");
}

ByteFile::~ByteFile() = default;

void ByteFile::fail(const std::string& reason) const {
  throw InvalidArgument(fmt::format("{}: {}", path_.string(), reason));
}

ByteFile::Bytes ByteFile::take(std::uint64_t count) {
  Bytes bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(piece, count - before));
    const std::size_t got = read(std::span(bytes).subspan(before));
    if (before + got < bytes.size()) fail(fmt::format("is truncated: {} bytes are missing", count - before - got));
  }
  return bytes;
}

std::optional<ByteFile::Bytes> ByteFile::take_unless_at_end(std::uint64_t count) {
  std::uint8_t first = 0;
  if (count == 0 || read(std::span(&first, 1)) == 0) return std::nullopt;
  Bytes bytes = take(count - 1);
  bytes.insert(bytes.begin(), first);
  return bytes;
}

ByteFile::Bytes ByteFile::take_rest() {
  Bytes bytes;
  for (std::size_t got = piece; got == piece;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    got = read(std::span(bytes).subspan(before));
    bytes.resize(before + got);
  }
  return bytes;
}

void ByteFile::require_end() {
  std::uint8_t more = 0;
  if (read(std::span(&more, 1)) != 0) fail("has bytes after its end");
}

std::size_t ByteFile::read(std::span<std::uint8_t> bytes) {
  const int got = gzread(stream_->get(), bytes.data(), static_cast<unsigned>(bytes.size()));
  int code = Z_OK;
  const char* reason = gzerror(stream_->get(), &code);
  // An early end of the compressed data is reported by a code, with the bytes before it delivered.
  if (got < 0 || code == Z_BUF_ERROR) fail(code == Z_BUF_ERROR ? "is truncated" : reason);
  return static_cast<std::size_t>(got);
}

}  // namespace dpbudget::fl
