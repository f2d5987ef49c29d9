/// @file
/// What is printed and written of each evaluation of a run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/tools/cli/simulation/progress.h"
#include "dpbudget/tools/cli/simulation/results_file.h"
#include "dpbudget/tools/cli/simulation/seed_run.h"

namespace dpbudget::tools {

/// Told of one run's evaluations, the first of which comes when all input has been accepted.
class Evaluations {
 public:
  /// @param opening    printed before the table
  /// @param results    may name no file
  /// @param measured   names of what the run measures besides
  /// @param records    that each client holds
  /// @param dimension  of the model
  Evaluations(const SeedRun& seed_run, std::string opening, std::string results, std::vector<std::string> measured,
              bool is_quiet, Progress& progress, const std::vector<std::uint64_t>& records, std::uint64_t dimension);

  void operator()(const fl::Metrics& metrics);

 private:
  void add_steps(const fl::Metrics& metrics, nlohmann::json& line) const;
  void add_epsilons(const fl::Metrics& metrics, nlohmann::json& line);
  std::vector<std::string> columns() const;
  void begin(const fl::Metrics& metrics);
  void print(const fl::Metrics& metrics);

  const SeedRun& seed_run_;
  const fl::SettledRun& run_;
  std::string opening_;
  std::vector<std::string> measured_;
  bool is_quiet_;
  Progress& progress_;
  const std::vector<std::uint64_t>& records_;
  std::vector<fl::Sizes> everybody_;
  fl::StepSizes steps_;
  fl::Pricing price_;
  nlohmann::json parameters_;
  ResultsFile results_;
  bool has_begun_ = false;
};

}  // namespace dpbudget::tools
