#include "dpbudget/fl/data/emnist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/idx.h"

namespace dpbudget::fl {

Dataset load_emnist(const std::filesystem::path& images, const std::filesystem::path& labels,
                    std::optional<int> classes) {
  Dataset dataset = load_idx(images, labels, classes.value_or(256));
  if (!classes) dataset.classes = std::max(2, std::ranges::max(dataset.labels) + 1);
  const auto side = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(dataset.features.cols()))));
  if (side * side != dataset.features.cols())
    throw InvalidArgument(fmt::format("{}: has images of {} pixels, but must have square ones", images.string(),
                                      dataset.features.cols()));
  for (Eigen::Index i = 0; i < dataset.features.rows(); ++i) {
    Eigen::Map<Matrix> image(dataset.features.row(i).data(), side, side);
    image.transposeInPlace();
  }
  return dataset;
}

}  // namespace dpbudget::fl
