/// @file
/// What is printed and written of each evaluation of a run.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/tools/cli/simulation/evaluation_row.h"
#include "dpbudget/tools/cli/simulation/progress.h"
#include "dpbudget/tools/cli/simulation/results_file.h"
#include "dpbudget/tools/cli/simulation/seed_run.h"

namespace dpbudget::tools {

/// What is seen of a run while it is under way.
enum class Seen {
  nothing,
  progress,     ///< on a terminal: how far it is, how fast, and how long it will take
  evaluations,  ///< and a table of them
};

/// Told of one run's evaluations, the first of which comes when all input has been accepted.
class Evaluations {
 public:
  /// @param opening   printed before the table
  /// @param results   may name no file
  /// @param measured  names of what the run measures besides
  Evaluations(const SeedRun& seed_run, std::string opening, std::string results, std::vector<std::string> measured,
              Seen seen, Progress& progress);

  void operator()(const fl::Metrics& metrics);

 private:
  void begin(const fl::Metrics& metrics);
  void print(const fl::Metrics& metrics);

  const SeedRun& seed_run_;
  const fl::SettledRun& run_;
  std::string opening_;
  std::vector<std::string> measured_;
  Seen seen_;
  Progress& progress_;
  EvaluationRow row_;
  ResultsFile results_;
  bool has_begun_ = false;
};

}  // namespace dpbudget::tools
