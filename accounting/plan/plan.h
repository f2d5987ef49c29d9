/// @file
/// A plan: what is released, and which neighbours it must not tell apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// What is released, and which neighbours it must not tell apart.
struct Plan {
  Event event;
  Adjacency adjacency;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// @throws InvalidArgument naming the first number of `event` that is outside the range event.h gives it, or reports
///         that are more than the records drawn for them; an unknown is in every range
void check(const Event& event);

/// Calls `visit` with every shuffle of `event`, and with the number of records that the smallest sample around it
/// draws; nothing where no sample of a given size is around it.
void each_shuffle(const Event& event,
                  const std::function<void(const Shuffled&, std::optional<std::uint64_t> drawn)>& visit);

/// Whether reports are shuffled anywhere in `event`.
bool has_shuffled(const Event& event);

/// The composition of `parts`: the part itself when there is one only.
Event compose(std::vector<Event> parts);

/// `count` times `inner`: `inner` itself when count is 1.
Event repeat(std::uint64_t count, Event inner);

/// @throws InvalidArgument when a number of `event` is unknown
void require_known(const Event& event);

/// @return how many numbers of `event` are still unknown
std::size_t unknowns(const Event& event);

/// @return what the first unknown of `event` stands for; nothing when every number is known
std::optional<UnknownKind> unknown_kind(const Event& event);

/// @return `event` with `value` in the place of each unknown
/// @throws InvalidArgument when `value` is outside the range of what it stands for, or is no integer for a count
Event substitute(const Event& event, double value);

/// The adjacency under which the sampling in `event` is analysed: add_or_remove_one for Poisson sampling and for random
/// shifts, replace_one
/// for sampling without replacement and for shuffling. Without either, add_or_remove_one; all three then give the same
/// numbers, because noise is measured against the adjacency's own sensitivity.
/// @return nothing when the event mixes sampling schemes that need different adjacencies
std::optional<Adjacency> natural_adjacency(const Event& event);

}  // namespace dpbudget
