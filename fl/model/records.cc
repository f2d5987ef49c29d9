#include "dpbudget/fl/model/records.h"

#include <string>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

using Eigen::Index;

void require_length(Index length, std::string_view name, Index dimension) {
  if (length == dimension) return;
  require(false, name, std::to_string(length) + " long", std::to_string(dimension) + " long, as the model");
}

void require_labelled(const Dataset& dataset, Index features, int classes) {
  const auto shape = [](Index columns, int labels) {
    return std::to_string(columns) + " features in " + std::to_string(labels) + " classes";
  };
  const bool fits =
      dataset.features.cols() == features && dataset.classes == classes && dataset.labels.size() == dataset.records();
  if (fits) return;
  require(false, "dataset",
          std::to_string(dataset.features.rows()) + " x " + shape(dataset.features.cols(), dataset.classes) + " with " +
              std::to_string(dataset.labels.size()) + " labels",
          "one label per record and " + shape(features, classes) + ", as the model");
}

void require_row(const Dataset& dataset, std::uint32_t row) {
  require(row < dataset.records(), "rows", row, "below the number of records");
}

Index label_at(const Dataset& dataset, std::uint32_t row) {
  const std::int32_t label = dataset.labels[row];
  require(0 <= label && label < dataset.classes, "label", label, "in [0, classes)");
  return label;
}

}  // namespace dpbudget::fl
