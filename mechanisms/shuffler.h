/// @file
/// The trusted shuffler, and the event it makes of the reports it takes.
#pragma once

#include <boost/random/uniform_int_distribution.hpp>
#include <cstdint>
#include <ranges>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// Puts `reports` in an order drawn uniformly from all. The same stream gives the same order everywhere, which
/// std::shuffle does not promise.
/// @source Fisher, Yates 1938; Durstenfeld 1964
template <std::ranges::random_access_range Reports>
void shuffle(Reports&& reports, Stream& stream) {
  const auto first = std::ranges::begin(reports);
  for (auto left = std::ranges::ssize(reports); left > 1; --left) {
    const auto pick = boost::random::uniform_int_distribution<decltype(left)>(0, left - 1)(stream);
    std::ranges::iter_swap(first + pick, first + (left - 1));
  }
}

/// @param reports  users who each send one report, in [1, 2^53]
/// @param local    what one user's report amounts to
/// @return the release of all their reports, shuffled
/// @throws InvalidArgument naming reports
Shuffled event_of(std::uint64_t reports, Inner local);

}  // namespace dpbudget::mechanisms
