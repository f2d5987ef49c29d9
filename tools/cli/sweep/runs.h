/// @file
/// The runs of a sweep: every cell of its grid with every seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/simulation/grid.h"

namespace dpbudget::tools {

/// One cell: all that its runs share.
struct SweepCell {
  std::vector<std::string> values;  ///< of each axis
  fl::RunRequest request;
  DataOptions data;
};

/// One run.
struct SweepRun {
  std::size_t cell;
  fl::RunRequest request;  ///< the cell's with a seed of its own
  std::string name;        ///< 16 digits that tell it from runs of other settings, whatever the grid that it is in
};

/// The cells, the last axis changing fastest; one without an axis.
/// @param command  whose options read the values into `run` and `data`, which are left as they were
/// @throws InvalidArgument as for_each_combination
std::vector<SweepCell> cells_of(const Command& command, const std::vector<GridAxis>& axes, fl::RunRequest& run,
                                DataOptions& data);

/// Each cell's runs with `seeds` seeds, counted up from its own.
/// @throws InvalidArgument naming --seeds when there are more than 1,000,000 runs, or --grid when two are the same
std::vector<SweepRun> runs_of(const std::vector<SweepCell>& cells, std::uint64_t seeds);

/// Every COUNT-th run: the share of one of several who divide a sweep among them.
struct Shard {
  std::uint64_t index = 1;  ///< in [1, count]
  std::uint64_t count = 1;

  /// Whether the run of that number, from 0, is in it.
  bool has(std::size_t number) const { return number % count == index - 1; }

  /// The part of it that one of several processes does.
  Shard part(const fl::Share& share) const { return {index + count * share.rank, count * share.count}; }
};

/// Reads "3/16".
/// @throws InvalidArgument naming --shard
Shard read_shard(const std::string& text);

}  // namespace dpbudget::tools
