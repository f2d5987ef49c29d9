/// @file
/// Rounds that differ: what a run releases, round after round.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::sequence {

/// Equal rounds next to each other.
struct Stretch {
  Event round;
  std::uint64_t count;  ///< in [1, 2^53]
};

/// The rounds of a run, equal ones next to each other together.
struct Sequence {
  std::vector<Stretch> stretches;
  Adjacency adjacency;
  bool is_exact = true;  ///< false: some rounds stand for others that release less, so that no lower bound holds

  std::uint64_t rounds() const;

  /// The composition of the first `rounds` rounds.
  /// @throws InvalidArgument naming rounds when there are not so many
  Event first(std::uint64_t rounds) const;
  /// The same as a sequence.
  Sequence beginning(std::uint64_t rounds) const;

  /// Appends `count` rounds.
  void add(Event round, std::uint64_t count = 1);
};

}  // namespace dpbudget::sequence
