#include "dpbudget/fl/data/idx.h"

#include <fmt/format.h>

#include <cstdint>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/byte_file.h"

namespace dpbudget::fl {
namespace {

std::uint32_t take_big_endian(ByteFile& file) {
  std::uint32_t word = 0;
  for (const std::uint8_t byte : file.take(4)) word = word << 8 | byte;
  return word;
}

struct Idx {
  std::uint64_t records;
  std::uint64_t record_size;
  ByteFile::Bytes bytes;
};

Idx read_idx(ByteFile& file, int dimensions) {
  constexpr std::uint32_t unsigned_bytes = 0x800;
  const std::uint32_t expected = unsigned_bytes + static_cast<std::uint32_t>(dimensions);
  const std::uint32_t magic = take_big_endian(file);
  if (magic != expected) file.fail(fmt::format("begins with {:#010x}, but must begin with {:#010x}", magic, expected));
  Idx idx{take_big_endian(file), 1, {}};
  if (idx.records == 0) file.fail("has no records");
  for (int i = 1; i < dimensions; ++i) {
    const std::uint32_t size = take_big_endian(file);
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
  ByteFile label_file(labels);
  const Idx label_idx = read_idx(label_file, 1);
  for (std::size_t i = 0; i < label_idx.bytes.size(); ++i)
    if (label_idx.bytes[i] >= classes)
      label_file.fail(fmt::format("label {} is {}, but must be below {}", i, label_idx.bytes[i], classes));

  ByteFile image_file(images);
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
