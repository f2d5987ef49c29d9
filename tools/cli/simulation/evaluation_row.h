/// @file
/// All that is known of one evaluation of a run, and of the run, as a row of a table.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/tools/cli/simulation/seed_run.h"

namespace dpbudget::tools {

/// The column of what is proven to be spent against that adversary.
std::string epsilon_column(fl::Adversary adversary);

/// Every value of the run under its own name, as a ledger's header has it.
nlohmann::json parameters_json(const fl::SettledRun& run);

/// Makes the rows of one run.
class EvaluationRow {
 public:
  /// @param seed_run  outlives it
  explicit EvaluationRow(const SeedRun& seed_run);

  /// Round, metrics, steps, the epsilon that is proven to be spent so far against each adversary (null where nothing
  /// is), seconds since this was made, the data, and every parameter of the run.
  nlohmann::json operator()(const fl::Metrics& metrics);

  /// All that a row can have: first what is looked at, then what was asked for.
  /// @param measured  names of what the run measures besides
  std::vector<std::string> columns(const std::vector<std::string>& measured) const;

 private:
  void add_steps(const fl::Metrics& metrics, nlohmann::json& row) const;
  void add_epsilons(const fl::Metrics& metrics, nlohmann::json& row);

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const SeedRun& seed_run_;
  const fl::SettledRun& run_;
  std::vector<fl::Sizes> everybody_;
  fl::StepSizes steps_;
  fl::Pricing price_;
  nlohmann::json parameters_;
};

}  // namespace dpbudget::tools
