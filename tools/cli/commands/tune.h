/// @file
/// What the two ways of choosing values share: by cross-validation, and as the best of a random number of trials.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/page/page.h"
#include "dpbudget/tools/cli/simulation/grid.h"

namespace dpbudget::tools {

struct TuneOptions {
  fl::RunRequest run;
  DataOptions data;
  std::vector<GridAxis> grid;
  std::uint64_t folds = 5;
  std::optional<double> selection_epsilon;
  std::optional<Trials> trials;  // in the place of the two above
  std::string model;
  std::uint64_t threads = 0;
  std::string results;
  std::string ledger;
  NamedFiles inputs;
  bool json = false;
};

/// "--step 0.1 --clip 1".
std::string values_text(const TuneOptions& options, const Combination& combination);
nlohmann::json values_json(const TuneOptions& options, const Combination& combination);

/// @throws InvalidArgument naming --grid, unless the scores of all combinations compare
void check_models(const std::vector<Combination>& combinations);

/// The best of options.trials.
/// @return the exit status
/// @throws InvalidArgument naming the option that there cannot be
int run_trials(const TuneOptions& options, const std::vector<Combination>& combinations, Page& page);

}  // namespace dpbudget::tools
