/// @file
/// A data set's features as a model of single precision reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dpbudget/fl/arithmetic/products.h"
#include "dpbudget/fl/arithmetic/rows.h"
#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// The features of one data set, rounded once and not whenever a record is used: records that lie anywhere in memory
/// are most of what small models wait for, and these are half as long. So are their norms found.
class SingleFeatures {
 public:
  /// @param dataset  outlives this and stays as it is
  explicit SingleFeatures(const Dataset& dataset)
      : dataset_(dataset),
        values_(dataset.features.rows(), dataset.features.cols()),
        squared_norms_(static_cast<std::size_t>(dataset.features.rows())) {
    const auto size = static_cast<std::size_t>(values_.size());
    convert<float>(std::span(dataset.features.data(), size), std::span(values_.data(), size));
    RowMajor<float> with_one = RowMajor<float>::Ones(1, values_.cols() + 1);
    for (std::size_t row = 0; row < squared_norms_.size(); ++row) {
      with_one.leftCols(values_.cols()) = values_.row(static_cast<Eigen::Index>(row));
      fl::squared_norms<float>(with_one, std::span(squared_norms_).subspan(row, 1));
    }
  }

  bool are_of(const Dataset& dataset) const { return &dataset == &dataset_; }

  /// @param row  of the data set
  const float* row(std::uint32_t row) const { return values_.data() + values_.cols() * Eigen::Index{row}; }
  /// Of a row and a 1 beside it, which a bias has for an input.
  double squared_norm(std::uint32_t row) const { return squared_norms_[row]; }

 private:
  const Dataset& dataset_;
  RowMajor<float> values_;
  std::vector<double> squared_norms_;
};

}  // namespace dpbudget::fl
