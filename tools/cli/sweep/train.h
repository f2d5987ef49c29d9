/// @file
/// One run of a sweep.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/sweep/runs.h"

namespace dpbudget::tools {

/// Trains it, verifies its ledger, and tells both as a row: the run's name, whether it diverged, whether the ledger
/// verifies, how many seconds it took, and what EvaluationRow says of the last evaluation. One that diverged says of
/// the rest what was asked for alone.
/// @param cell    that the run is of
/// @param ledger  where its ledger goes; empty: it is verified and goes
/// @return nothing where it was interrupted
/// @throws as simulate_seed
std::optional<nlohmann::json> train(const SweepRun& run, const SweepCell& cell, const std::vector<GridAxis>& axes,
                                    const std::string& ledger);

}  // namespace dpbudget::tools
