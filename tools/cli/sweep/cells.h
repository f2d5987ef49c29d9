/// @file
/// What came out of a sweep, cell by cell.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/simulation/moments.h"
#include "dpbudget/tools/cli/sweep/runs.h"

namespace dpbudget::tools {

/// What a sweep's cells are compared by.
struct Metric {
  std::string name;  ///< a column of the rows
  bool is_better_high;
};

/// The names of metrics: "test_score" and others.
const std::vector<std::string>& metric_names();

/// @throws InvalidArgument naming --metric when it is none; or --grid when the cells' models have scores of two kinds
Metric metric_of(const std::string& name, const std::vector<SweepCell>& cells);

/// One cell, over the seeds that are done.
struct CellResult {
  std::vector<std::string> values;  ///< of each axis
  std::size_t done = 0;             ///< runs, those that diverged included
  std::size_t diverged = 0;
  std::size_t unverified = 0;
  std::optional<double> noise;    ///< the largest
  std::optional<double> epsilon;  ///< the largest that is proven to be spent against the cell's adversary; nothing
                                  ///< where nothing is
  std::map<std::string, Moments> metrics;  ///< of the runs that did not diverge
  bool is_efficient = false;  ///< no other cell has a better mean for no more epsilon, or as good a one for less
};

/// @param rows  of those runs that are done, by name
std::vector<CellResult> results_of(const std::vector<SweepCell>& cells, const std::vector<SweepRun>& runs,
                                   const std::map<std::string, nlohmann::json>& rows, const Metric& metric);

}  // namespace dpbudget::tools
