#include "dpbudget/fl/data/idx.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "dpbudget/accounting/require.h"

namespace dpbudget::fl {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Reads a gzipped or plain file from front to end; every error names the file.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb"));
    if (!file_) fail(errno != 0 ? std::strerror(errno) : "cannot be opened");
    if (std::filesystem::is_directory(path)) fail("is a directory");
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw InvalidArgument(fmt::format("{}: {}", path_.string(), reason));
  }

  // Grows as bytes arrive: a header may claim any size.
  Bytes take(std::uint64_t count) {
    constexpr std::uint64_t piece = 1 << 20;
    Bytes bytes;
    while (bytes.size() < count) {
      const std::size_t before = bytes.size();
      bytes.resize(before + std::min(piece, count - before));
      const std::size_t got = read(std::span(bytes).subspan(before));
      if (before + got < bytes.size()) fail(fmt::format("is truncated: {} bytes are missing", count - before - got));
    }
    return bytes;
  }

  std::uint32_t take_big_endian() {
    std::uint32_t word = 0;
    for (const std::uint8_t byte : take(4)) word = word << 8 | byte;
    return word;
  }

  void require_end() {
    std::uint8_t more = 0;
    if (read(std::span(&more, 1)) != 0) fail("has bytes after its end");
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::size_t read(std::span<std::uint8_t> bytes) {
    const int got = gzread(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    // An early end of the compressed data is reported by a code, with the bytes before it delivered.
    if (got < 0 || code == Z_BUF_ERROR) fail(code == Z_BUF_ERROR ? "is truncated" : reason);
    return static_cast<std::size_t>(got);
  }

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

struct Idx {
  std::uint64_t records;
  std::uint64_t record_size;
  Bytes bytes;
};

Idx read_idx(Reader& file, int dimensions) {
  constexpr std::uint32_t unsigned_bytes = 0x800;
  const std::uint32_t expected = unsigned_bytes + static_cast<std::uint32_t>(dimensions);
  const std::uint32_t magic = file.take_big_endian();
  if (magic != expected) file.fail(fmt::format("begins with {:#010x}, but must begin with {:#010x}", magic, expected));
  Idx idx{file.take_big_endian(), 1, {}};
  if (idx.records == 0) file.fail("has no records");
  for (int i = 1; i < dimensions; ++i) {
    const std::uint32_t size = file.take_big_endian();
    // A side above 2^16 is no image, and keeps the product of all sizes below 2^64.
    if (size == 0 || size > 0x10000) file.fail(fmt::format("claims images with a side of {}", size));
    idx.record_size *= size;
  }
  idx.bytes = file.take(idx.records * idx.record_size);
  file.require_end();
  return idx;
}

}  // namespace

Dataset load_idx(const std::filesystem::path& images, const std::filesystem::path& labels, int classes) {
  require(2 <= classes && classes <= 256, "classes", classes, "in [2, 256]");
  Reader label_file(labels);
  const Idx label_idx = read_idx(label_file, 1);
  for (std::size_t i = 0; i < label_idx.bytes.size(); ++i)
    if (label_idx.bytes[i] >= classes)
      label_file.fail(fmt::format("label {} is {}, but must be below {}", i, label_idx.bytes[i], classes));

  Reader image_file(images);
  const Idx image_idx = read_idx(image_file, 3);
  if (image_idx.records != label_idx.records)
    image_file.fail(
        fmt::format("has {} images, but {} has {} labels", image_idx.records, labels.string(), label_idx.records));

  Dataset dataset;
  dataset.classes = classes;
  dataset.labels.assign(label_idx.bytes.begin(), label_idx.bytes.end());
  using ByteMatrix = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const ByteMatrix> pixels(image_idx.bytes.data(), static_cast<Eigen::Index>(image_idx.records),
                                            static_cast<Eigen::Index>(image_idx.record_size));
  dataset.features = pixels.cast<double>() / 255;
  return dataset;
}

}  // namespace dpbudget::fl
