/// @file
/// Running one configuration, for one seed or several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/ranks/shared_run.h"
#include "dpbudget/tools/cli/simulation/evaluations.h"
#include "dpbudget/tools/cli/simulation/seed_run.h"

namespace dpbudget::tools {

/// Where a simulation's files go, and how it is run.
struct SimulationFiles {
  std::string ledger = "dpbudget.ledger.jsonl";
  std::string results;     ///< a ResultsFile; empty: none
  std::string plot;        ///< empty: none
  std::string checkpoint;  ///< empty: none
  std::string model;       ///< that the algorithm hands out, as JSON; empty: none
  std::uint64_t checkpoint_every = 10;
  bool resume = false;
  std::optional<double> optimum = std::nullopt;  ///< to what gap F* is to be found, for what is measured by it
  fl::Ranks* ranks = nullptr;                    ///< the processes that share it, of which this is the first
};

/// `name` for the run of `seed`, when there are several: run.jsonl becomes run.seed-3.jsonl.
std::string file_for_seed(const std::string& name, std::uint64_t seed, bool several);

/// Checks before anything is done that what is to be resumed is there: of several seeds, which run in order, a
/// checkpoint of each up to the last that has one. Those after it have not begun.
/// @throws InvalidArgument naming the checkpoint that is missing
void check_resumable(std::uint64_t first_seed, std::uint64_t seeds, const SimulationFiles& files);

/// The run of `request`'s seed, settled for the clients that its data give it.
/// @throws InvalidArgument as the data's options, check and settle
SeededRun seeded_run(const fl::RunRequest& request, const DataOptions& data);

/// Trains with one seed. Of several, one that is to be resumed and has no checkpoint starts afresh, unless its ledger
/// shows that it finished, which is refused. Progress goes to standard error. Nothing is printed or written before all
/// input is accepted, the checkpoint to be resumed included. An interrupt (SIGINT, SIGTERM) ends it after the round
/// that is under way.
SeedRun simulate_seed(const fl::RunRequest& request, const DataOptions& data, const SimulationFiles& files,
                      bool several, Seen seen);

}  // namespace dpbudget::tools
