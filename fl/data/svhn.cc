#include "dpbudget/fl/data/svhn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/fl/data/mat_file.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint64_t side = 32;
constexpr std::uint64_t colours = 3;
constexpr std::uint64_t pixels = side * side * colours;
constexpr double house_digits = 10;

struct Labels {
  std::vector<std::uint64_t> dimensions;
  std::vector<double> numbers;
};

Labels labels_in(const MatFile& file, const std::string& path) {
  for (const MatArray& array : file.arrays)
    if (array.name == "y") return {array.dimensions, array.numbers};
  for (const MatBytes& array : file.byte_arrays)
    if (array.name == "y") return {array.dimensions, {array.bytes.begin(), array.bytes.end()}};
  throw InvalidArgument(fmt::format("{}: has no labels `y`", path));
}

}  // namespace

Dataset load_svhn(const std::filesystem::path& path) {
  const MatFile file = read_mat(path);
  const std::string name = path.string();
  const auto images = std::ranges::find(file.byte_arrays, "X", &MatBytes::name);
  if (images == file.byte_arrays.end()) throw InvalidArgument(fmt::format("{}: has no images `X` of bytes", name));
  // A single image has no fourth dimension.
  std::vector<std::uint64_t> sizes = images->dimensions;
  if (sizes.size() == 3) sizes.push_back(1);
  if (sizes.size() != 4 || sizes[0] != side || sizes[1] != side || sizes[2] != colours || sizes[3] == 0)
    throw InvalidArgument(
        fmt::format("{}: `X` is {}, but must be 32 x 32 x 3 x records", name, fmt::join(images->dimensions, " x ")));
  const std::uint64_t records = sizes[3];
  const Labels labels = labels_in(file, name);
  if (labels.numbers.size() != records)
    throw InvalidArgument(fmt::format("{}: has {} labels of {} images", name, labels.numbers.size(), records));

  Dataset dataset;
  dataset.classes = static_cast<int>(house_digits);
  for (std::size_t i = 0; i < labels.numbers.size(); ++i) {
    const double label = labels.numbers[i];
    if (!(1 <= label && label <= house_digits && label == std::floor(label)))
      throw InvalidArgument(fmt::format("{}: label {} is {}, but must be an integer in [1, 10]", name, i, label));
    dataset.labels.push_back(label == house_digits ? 0 : to_integer<std::int32_t>(label, "label"));
  }
  dataset.features.resize(static_cast<Eigen::Index>(records), static_cast<Eigen::Index>(pixels));
  for (std::uint64_t record = 0; record < records; ++record)
    for (std::uint64_t colour = 0; colour < colours; ++colour)
      for (std::uint64_t column = 0; column < side; ++column)
        for (std::uint64_t row = 0; row < side; ++row) {
          const std::uint8_t byte = images->bytes[((record * colours + colour) * side + column) * side + row];
          dataset.features(static_cast<Eigen::Index>(record),
                           static_cast<Eigen::Index>((colour * side + row) * side + column)) = byte / 255.0;
        }
  return dataset;
}

}  // namespace dpbudget::fl
