/// @file
/// Batches drawn with replacement, by how often a record is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// A release that is no less telling of data sets that differ in up to `copies` of its records than `event` is: groups
/// of records, each leaf by its own theorem, numbers rounded to the safe side.
/// @param event   of leaves, repetitions and compositions
/// @param copies  in [1, 10^9]
/// @return nothing for any other node, and where a number leaves a double's range
/// @source accounting/plan/proofs.md, 1.1
std::optional<Event> for_copies(const Event& event, std::uint64_t copies);

/// The same for the release of a batch, refused by name where there is none.
/// @param accountant  who asks
/// @throws Unsupported naming `event`
Event for_copies(const SampledWithReplacement& event, std::uint64_t copies, Adjacency adjacency,
                 std::string_view accountant);

/// @throws Unsupported naming `event` and why, unless batches drawn with replacement are analysed under the adjacency
///         and around what is inside
void require_replacement_theorem(const SampledWithReplacement& event, Adjacency adjacency, std::string_view accountant);

/// The probability that a record is drawn at all, 1 - (1 - 1/population)^number, rounded up or down by a few units.
/// @param draws  known
double rate_of_record(const Draws& draws, bool is_up);

/// That a record is drawn some number of times, `copies` at most.
struct DrawnTimes {
  double probability;
  std::uint64_t copies;
};

/// How often a record is drawn, given that it is.
struct TimesDrawn {
  std::vector<DrawnTimes> kinds;  ///< at most `most_kinds`, by increasing copies
  double error;                   ///< relative, of the probabilities; they add up to no more than 1 but for it
  double beyond;                  ///< at least the probability of more copies than any kind has
};

inline constexpr std::uint64_t most_kinds = 256;

/// @param draws       known
/// @param negligible  what `beyond` may be; at 0 the kinds go on to all draws
TimesDrawn times_drawn(const Draws& draws, double negligible);

/// log of the probability that a record is drawn `copies` times, given that it is drawn, rounded up.
/// @param draws   known
/// @param copies  in [1, draws.number]
double log_probability_of(const Draws& draws, std::uint64_t copies);

/// The fewest copies that are exceeded with no more than that probability, of all batches.
/// @param draws        known
/// @param probability  in [0, 1)
std::uint64_t exceeded_rarely(const Draws& draws, double probability);

}  // namespace dpbudget
