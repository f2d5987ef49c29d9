/// @file
/// The trusted shuffler, and the event it makes of the reports it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// Puts `reports` in an order drawn uniformly from all. The same stream gives the same order everywhere, which
/// std::shuffle does not promise.
/// @throws InvalidArgument naming reports unless there are fewer than 2^32
/// @source Fisher, Yates 1938; Durstenfeld 1964
template <std::ranges::random_access_range Reports>
void shuffle(Reports&& reports, Stream& stream) {
  const auto first = std::ranges::begin(reports);
  const auto size = static_cast<std::uint64_t>(std::ranges::ssize(reports));
  require(size < std::uint64_t{1} << 32, "reports", size, "fewer than 2^32 in number");
  const auto swap = [&](std::uint64_t one, std::uint64_t other) {
    std::ranges::iter_swap(first + static_cast<std::ptrdiff_t>(one), first + static_cast<std::ptrdiff_t>(other));
  };
  // Report i goes to one of the places up to i. One random number decides two of them: which order a seed gives is
  // part of what ledgers promise, so this stays as it is.
  std::uint64_t i = 1;
  if (size > 0 && size % 2 == 0) swap(i++, stream.below(2));
  for (; i < size; i += 2) {
    const std::uint64_t random = stream.below((i + 1) * (i + 2));
    swap(i, random / (i + 2));
    swap(i + 1, random % (i + 2));
  }
}

/// @param reports  users who each send one report, in [1, 2^53]
/// @param local    what one user's report amounts to
/// @return the release of all their reports, shuffled
/// @throws InvalidArgument naming reports
Shuffled event_of(std::uint64_t reports, Inner local);

}  // namespace dpbudget::mechanisms
