/// @file
/// A run as options, and as a configuration file: both read fl/run/fields.h and fl/run/known_options.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/command_line.h"

namespace dpbudget::tools {

/// The option for a key: "--local-steps" for local_steps.
std::string flag_of(std::string key);

/// Which of `choices` a text names, with - for _ or without.
/// @throws InvalidArgument naming the flag, and all choices
std::string read_choice(const std::string& flag, const std::string& text, const std::vector<std::string_view>& choices);

/// Which fields of a run are options: all, those of a run whose model nobody evaluates, or those that its plans depend
/// on, but for the budgets.
enum class Fields { all, not_evaluated, of_plans };

/// An option for each of those fields of a run, "--local-steps" for the key local_steps, and under headings of their
/// own those that some algorithms or ways to clip read. One that another leaves without effect, as --batch-size does
/// --record-rate, is refused beside it.
void run_options(const Command& command, fl::RunRequest& run, Fields which = Fields::all);

/// --config: a TOML file whose keys are the command's options with _ for -, and give a value to each that the command
/// line does not. A value is a text, a number, a boolean or an array of them.
/// @throws InvalidArgument, when the command runs, naming the file, and the line and column that is no TOML, or the key
///         that no option has, with the nearest one
void config_option(const Command& command);

}  // namespace dpbudget::tools
