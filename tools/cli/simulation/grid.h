/// @file
/// Values to be tried: every combination of some for several options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/command_line.h"

namespace dpbudget::tools {

/// The values of one option.
struct GridAxis {
  std::string key;
  std::vector<std::string> values;  ///< at least one, none twice
};

/// Reads "step=0.1,1; clip=0.5,1": values are separated by commas, or by | where one of these is there, for values that
/// hold commas themselves. What is read is added to `axes`.
/// @throws InvalidArgument naming --grid: no axis, an axis without values or with one twice, or a key that is there
///         already, is no option of a run, or must be the same for all runs
void read_grid(std::string_view text, std::vector<GridAxis>& axes);

/// One of the combinations.
struct Combination {
  std::vector<std::string> values;  ///< of each axis
  fl::RunRequest request;
};

/// All of them, the last axis changing fastest.
/// @param command  whose options read the values into `run`, which is left with those of the last combination
/// @throws InvalidArgument naming an option that is given beside --grid or has no effect beside another, a value that
///         it cannot be, or --grid when there are more than 100,000
std::vector<Combination> combinations(const Command& command, const std::vector<GridAxis>& axes, fl::RunRequest& run);

}  // namespace dpbudget::tools
