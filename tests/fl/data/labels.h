/// @file
/// Small labelled data to divide.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "dpbudget/fl/data/partition.h"

namespace dpbudget::fl {

inline std::vector<std::int32_t> labels_of(std::size_t records, int classes) {
  std::vector<std::int32_t> labels(records);
  for (std::size_t i = 0; i < records; ++i) labels[i] = static_cast<std::int32_t>((i * 7919) % classes);
  return labels;
}

inline std::set<std::int32_t> labels_held(const std::vector<std::uint32_t>& rows,
                                          const std::vector<std::int32_t>& labels) {
  std::set<std::int32_t> held;
  for (const std::uint32_t row : rows) held.insert(labels[row]);
  return held;
}

/// Whether all rows are below `records` and no row occurs twice.
inline bool is_disjoint(const Partition& parts, std::size_t records) {
  std::set<std::uint32_t> used;
  for (const auto& rows : parts)
    for (const std::uint32_t row : rows)
      if (row >= records || !used.insert(row).second) return false;
  return true;
}

/// Each record carries its own number as its feature, so it can be followed.
inline Dataset numbered(std::size_t records, int classes = 10) {
  Dataset dataset{Matrix(static_cast<Eigen::Index>(records), 1), labels_of(records, classes), classes};
  for (Eigen::Index i = 0; i < dataset.features.rows(); ++i) dataset.features(i, 0) = static_cast<double>(i);
  return dataset;
}

}  // namespace dpbudget::fl
