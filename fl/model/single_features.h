/// @file
/// A data set's features as a model of single precision reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dpbudget/fl/arithmetic/products.h"
#include "dpbudget/fl/arithmetic/rows.h"
#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// The features of one data set, rounded once and not whenever a record is used: records that lie anywhere in memory
/// are most of what small models wait for, and these are half as long.
class SingleFeatures {
 public:
  /// @param dataset  outlives this and stays as it is
  explicit SingleFeatures(const Dataset& dataset)
      : dataset_(dataset), values_(dataset.features.rows(), dataset.features.cols()) {
    const auto size = static_cast<std::size_t>(values_.size());
    convert<float>(std::span(dataset.features.data(), size), std::span(values_.data(), size));
  }

  bool are_of(const Dataset& dataset) const { return &dataset == &dataset_; }

  /// @param row  of the data set
  const float* row(std::uint32_t row) const { return values_.data() + values_.cols() * Eigen::Index{row}; }

 private:
  const Dataset& dataset_;
  RowMajor<float> values_;
};

}  // namespace dpbudget::fl
