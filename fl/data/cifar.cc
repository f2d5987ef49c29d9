#include "dpbudget/fl/data/cifar.h"

#include <fmt/format.h>

#include <cstdint>

#include "dpbudget/fl/data/byte_file.h"

namespace dpbudget::fl {

Dataset load_cifar(const std::filesystem::path& path) {
  constexpr Eigen::Index pixels = 3072;
  constexpr Eigen::Index record_size = 1 + pixels;
  constexpr std::uint8_t classes = 10;
  ByteFile file(path);
  const ByteFile::Bytes bytes = file.take_rest();
  if (bytes.empty()) file.fail("has no records");
  if (bytes.size() % record_size != 0)
    file.fail(fmt::format("is {} bytes long, which is no multiple of the {} of a record", bytes.size(), record_size));

  const auto records = static_cast<Eigen::Index>(bytes.size() / record_size);
  using ByteMatrix = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const ByteMatrix> all(bytes.data(), records, record_size);
  Dataset dataset;
  dataset.classes = classes;
  dataset.labels.reserve(static_cast<std::size_t>(records));
  for (Eigen::Index i = 0; i < records; ++i) {
    if (all(i, 0) >= classes) file.fail(fmt::format("label {} is {}, but must be below {}", i, all(i, 0), classes));
    dataset.labels.push_back(all(i, 0));
  }
  dataset.features = all.rightCols(pixels).cast<double>() / 255;
  return dataset;
}

}  // namespace dpbudget::fl
