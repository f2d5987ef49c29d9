/// @file
/// What a run releases, as each adversary sees it.
#pragma once

#include <optional>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What `run` releases about one client, once the run's own values have been checked: by its paper, or proven.
/// @throws InvalidArgument naming the value of `run` or `sizes` that is out of range
std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis);

}  // namespace dpbudget::fl
