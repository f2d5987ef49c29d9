/// @file
/// Values to be tried: every combination of some for several options.
#pragma once

#include <functional>
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

/// What a grid may vary.
struct GridKeys {
  std::vector<std::string> keys;
  std::vector<std::string> same_for_all;  ///< options that it may not vary
};

/// The options of runs whose budgets and scores are to be compared: all but data and seeds, what every epsilon is for,
/// and what is said of each client.
GridKeys keys_of_one_budget();

/// All options of runs but the seed, and those of the data.
/// @param data  their names, as Command::option_names
GridKeys keys_of_all(const std::vector<std::string>& data);

/// Reads "step=0.1,1; clip=0.5,1": values are separated by commas, or by | where one of these is there, for values that
/// hold commas themselves. What is read is added to `axes`.
/// @throws InvalidArgument naming --grid: no axis, an axis without values or with one twice, or a key that is there
///         already, is none of `allowed`, or must be the same for all runs
void read_grid(std::string_view text, const GridKeys& allowed, std::vector<GridAxis>& axes);

/// Calls take(values) for every combination, the last axis changing fastest, once the command's options have read the
/// values.
/// @param reset  undoes what the combination before has read
/// @throws InvalidArgument naming an option that is given beside --grid or has no effect beside another, a value that
///         it cannot be, or --grid when there are more than 100,000
void for_each_combination(const Command& command, const std::vector<GridAxis>& axes, const std::function<void()>& reset,
                          const std::function<void(std::vector<std::string>)>& take);

/// One of the combinations.
struct Combination {
  std::vector<std::string> values;  ///< of each axis
  fl::RunRequest request;
};

/// All of them, the last axis changing fastest.
/// @param command  whose options read the values into `run`, which is left with those of the last combination
/// @throws InvalidArgument as for_each_combination
std::vector<Combination> combinations(const Command& command, const std::vector<GridAxis>& axes, fl::RunRequest& run);

}  // namespace dpbudget::tools
