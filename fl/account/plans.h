/// @file
/// What a run releases, as each adversary sees it.
#pragma once

#include <optional>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What `run` releases about one client, by its paper or proven; nothing where there is no such statement, as without
/// noise.
/// @throws InvalidArgument naming the value of `run` or `sizes` that is out of range
std::optional<AdversaryPlan> plan(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis);

}  // namespace dpbudget::fl
