/// @file
/// Training records divided for cross-validation.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Every client's training records in as many folds, drawn by a seed whatever the records are. Of a client's n records
/// fold f has floor(n / count), and one more where f < n mod count.
class Folds {
 public:
  /// @param data   outlives this; its test records are left alone
  /// @param count  at least 2
  /// @throws InvalidArgument naming folds, unless every client has a record for each
  Folds(const FederatedData& data, std::uint64_t count, std::uint64_t seed);

  std::uint64_t count() const { return count_; }
  std::uint64_t clients() const { return order_.size(); }

  /// How many records of a client are in a fold.
  std::uint64_t held_out(std::uint64_t client, std::uint64_t fold) const;

  /// How many records of all clients are in a fold.
  std::uint64_t held_out(std::uint64_t fold) const;

  /// The clients with the records of the other folds alone. Those of this one are their test records, which nothing in
  /// a run on them may follow.
  /// @param fold  below count()
  FederatedData without(std::uint64_t fold) const;

 private:
  const FederatedData& data_;
  std::uint64_t count_;
  std::vector<std::vector<std::uint32_t>> order_;  // of each client; number p is in fold p mod count
};

}  // namespace dpbudget::fl
