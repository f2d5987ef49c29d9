/// @file
/// The one file that all runs of a sweep write, whichever process and machine they are on.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/sweep/runs.h"

namespace dpbudget::tools {

/// A JSON line for each run that is done. Several processes may add to it at a time, one after the other; a line that a
/// process has not come to the end of is taken away by the next who writes.
class SweepResults {
 public:
  /// @param runs  all of the sweep
  SweepResults(std::filesystem::path file, const std::vector<SweepRun>& runs);

  /// The rows that are there, by their runs' names; none where there is no file.
  /// @throws InvalidArgument naming --results and the line that is of no run of this sweep
  std::map<std::string, nlohmann::json> read() const;

  /// @param row  an object with the run's name under "run"
  /// @throws CannotWrite naming --results
  void append(const nlohmann::json& row) const;

 private:
  std::filesystem::path file_;
  std::set<std::string> known_;
};

}  // namespace dpbudget::tools
