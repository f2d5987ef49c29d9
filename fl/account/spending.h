/// @file
/// What a run has spent after some of its rounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The proven epsilon at run.delta of the run's first rounds, against run.budget_for, for the kind of client that
/// spends most: one for each of `rounds`, counted as released, warm-start rounds included.
/// @param run        with noise
/// @param everybody  the kinds of clients
/// @param rounds     each in [0, run.released_rounds()]
/// @return infinity where nothing is proven
std::vector<double> spending(const SettledRun& run, const std::vector<Sizes>& everybody,
                             std::span<const std::uint64_t> rounds);

}  // namespace dpbudget::fl
