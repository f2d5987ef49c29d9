/// @file
/// Combinations of values tried by cross-validation, run after run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/tuning/account.h"
#include "dpbudget/fl/tuning/folds.h"
#include "dpbudget/fl/tuning/selection.h"
#include "dpbudget/tools/cli/simulation/grid.h"

namespace dpbudget::tools {

/// One run of cross-validation, done.
struct FoldResult {
  std::size_t combination;
  std::uint64_t fold;
  std::uint64_t seed;
  std::uint64_t rounds;              ///< that its budget paid for
  std::optional<double> train_loss;  ///< nothing where it diverged
  std::optional<double> score;       ///< on the held-out records: of every client's own model where they have one
  bool is_verified;                  ///< whether its ledger is that of the run that was planned
};

/// What came of all runs.
struct Tuning {
  std::vector<fl::FoldScores> scores;  ///< of each combination
  std::vector<fl::FoldRun> runs;       ///< what they released: as executed, or as planned where one diverged
  bool is_verified = true;             ///< every ledger
  bool is_complete = true;             ///< not interrupted
};

/// The seed of a run: another one for each, and none that of the request, which is left for the run with the values
/// that are chosen.
std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t folds, std::size_t combination, std::uint64_t fold);

/// Every combination with each fold held out.
/// @param folds  of `data`
/// @param kinds  clients of which what was released is wanted
/// @param ledger  NAME.EXT becomes NAME.seed-N.EXT for the run of seed N; empty: ledgers are verified and go
/// @param done   told of every run
/// @throws InvalidArgument as fl::settle of any run, before the first
Tuning tune(const std::vector<Combination>& combinations, const fl::Folds& folds,
            const std::vector<std::uint64_t>& kinds, const std::string& ledger,
            const std::function<void(const FoldResult&)>& done);

}  // namespace dpbudget::tools
