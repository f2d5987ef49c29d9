/// @file
/// Labelled records, and their division among clients.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

namespace dpbudget::fl {

/// A vector of parameters or of features.
using Vector = Eigen::VectorXd;
/// A record a row.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Records to classify, row i of `features` having label labels[i], or to fit, row i having the number targets[i].
struct Dataset {
  Matrix features;                   ///< records x features
  std::vector<std::int32_t> labels;  ///< one per record, each in [0, classes); empty when there are targets
  int classes = 0;                   ///< at least 2; 0 when there are targets
  std::vector<double> targets = {};  ///< one per record, finite; empty when there are labels

  std::uint64_t records() const { return static_cast<std::uint64_t>(features.rows()); }
};

/// @throws InvalidArgument naming features, labels, classes or targets, when the shapes differ, classes is below 2, a
/// label is outside [0, classes), a target is not finite, there are both labels and targets, no features, or 2^32
/// records or more
void check(const Dataset& dataset);

/// Training records with the client that holds each, and common test records. A client is a view: rows of `train`.
struct FederatedData {
  Dataset train;
  Dataset test;
  std::vector<std::vector<std::uint32_t>> clients;  ///< rows of `train` per client; no row occurs twice
  std::string description;                          ///< one line: source, sizes, seed and preprocessing
  /// Rows of `test` per client, drawn as its rows of `train` were; empty when that is unknown, else as long as clients.
  std::vector<std::vector<std::uint32_t>> test_clients = {};
};

/// @throws InvalidArgument naming train, test, clients or test_clients: what check(Dataset) refuses, differing features
/// or classes, a client without records (or test records, where they have clients), a row outside `train` (`test`) or
/// held twice
void check(const FederatedData& data);

/// A hash that differs, but for accident, when any shape, feature, label, target or client's row does: CRC-32 in the
/// upper half and Adler-32 in the lower, over sizes as 64-bit words and contents, little-endian. It recognises data in
/// a ledger; it is not cryptographic, nor private.
///
/// Left out are the description, and test_clients: no release depends on who is scored on which test record, and
/// ledgers written before there were test_clients keep their data's fingerprint.
std::uint64_t fingerprint(const FederatedData& data);

}  // namespace dpbudget::fl
