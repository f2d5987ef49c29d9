/// @file
/// The best of a random number of runs, each with values that it draws for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/tools/cli/simulation/grid.h"
#include "dpbudget/tools/cli/simulation/tuning_run.h"

namespace dpbudget::tools {

/// Nothing of the others, nor how many there were.
struct BestTrial {
  struct Chosen {
    std::size_t combination;
    double score;  ///< on the test records
    fl::Vector parameters;
    std::uint64_t rounds;
  };
  std::optional<Chosen> chosen;  ///< nothing where there was no run, or all diverged
  bool is_verified = true;       ///< the ledgers of all
  bool is_complete = true;       ///< not interrupted
};

/// Draws the number of runs, and for each one of the combinations and a seed, by the seed of the first combination's
/// run; trains each on all training records, and keeps what is best on the test records.
/// @param data               its test records are taken as public
/// @param larger_is_better   as accuracy is
/// @throws InvalidArgument as fl::settle of any run, before the first; naming trials as mechanisms::number_of_trials
/// @source fl/tuning/proofs.md, 3.1 and 3.3
BestTrial best_trial(const std::vector<Combination>& combinations, const fl::FederatedData& data, const Trials& trials,
                     bool larger_is_better);

/// What a run with each of the combinations is planned to release about clients of these numbers.
std::vector<fl::Released> planned_of_each(const std::vector<Combination>& combinations, const fl::FederatedData& data,
                                          const std::vector<std::uint64_t>& kinds);

/// One of their runs that is stopped by a filter, if there is any: nothing is known from below of the best of them.
std::optional<fl::SettledRun> filtered_one(const std::vector<Combination>& combinations, const fl::FederatedData& data);

}  // namespace dpbudget::tools
