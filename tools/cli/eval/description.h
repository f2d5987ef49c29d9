/// @file
/// The reference functions as they are described to people and to programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/tools/cli/eval/functions.h"

namespace dpbudget::tools {

/// Each function with its parameters, what it is and its source.
std::string functions_text();

/// {version, functions}, the latter a list of {name, parameters, summary, gives, accuracy, kind, adjacency, source,
/// note, example}: the example has the inputs and the value.
nlohmann::json functions_json();

/// All that is known of one function, with its example as a command and the answer.
std::string function_text(const std::string& name, const EvalFunction& function);

}  // namespace dpbudget::tools
