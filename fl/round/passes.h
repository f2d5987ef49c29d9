/// @file
/// Batches that are cut from random orders of a client's records, one order after the other.
#pragma once

#include <cstdint>

namespace dpbudget::fl {

/// Where a batch lies.
struct Place {
  std::uint64_t pass;   ///< which order of the round, from 1
  std::uint64_t first;  ///< where in it the batch begins
};

/// How a round's batches are cut from a client's records: as many to a pass as its order has whole batches, the last
/// pass ending with the round's last step. What is left of an order goes unused.
class Passes {
 public:
  /// @param records  that the client holds, at least `sample`
  /// @param sample   records in a batch, at least 1
  Passes(std::uint64_t records, std::uint64_t sample) : sample_(sample), batches_(records / sample) {}

  /// Batches of a whole pass.
  std::uint64_t batches() const { return batches_; }

  /// @param step  of the round, from 1
  Place place(std::uint64_t step) const { return {(step - 1) / batches_ + 1, (step - 1) % batches_ * sample_}; }

 private:
  std::uint64_t sample_;
  std::uint64_t batches_;
};

}  // namespace dpbudget::fl
