/// @file
/// Labelled records, and their division among clients.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace dpbudget::fl {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Classified records: row i of `features` has label labels[i].
struct Dataset {
  Matrix features;                   ///< records x features
  std::vector<std::int32_t> labels;  ///< one per record, each in [0, classes)
  int classes = 0;

  std::uint64_t records() const { return labels.size(); }
};

/// @throws InvalidArgument naming features, labels or classes, when the shapes differ, classes is below 2, a label is
/// outside [0, classes), there are no features, or there are 2^32 records or more
void check(const Dataset& dataset);

/// Training records with the client that holds each, and common test records. A client is a view: rows of `train`.
struct FederatedData {
  Dataset train;
  Dataset test;
  std::vector<std::vector<std::uint32_t>> clients;  ///< rows of `train` per client; no row occurs twice
  std::string description;                          ///< one line: source, sizes, seed and preprocessing
};

/// @throws InvalidArgument naming train, test or clients: what check(Dataset) refuses, differing features or classes, a
/// client without records, a row outside `train` or held twice
void check(const FederatedData& data);

/// A hash that differs, but for accident, when any shape, feature, label or client's row does (the description is left
/// out): CRC-32 in the upper half and Adler-32 in the lower, over sizes as 64-bit words and contents, little-endian.
/// It recognises data in a ledger; it is not cryptographic, nor private.
std::uint64_t fingerprint(const FederatedData& data);

}  // namespace dpbudget::fl
