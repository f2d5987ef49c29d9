/// @file
/// DP-SGD runs as the program and the Python package print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/accounting/solve/dp_sgd.h"

namespace dpbudget::tools {

/// For people: the run, what it costs, which sampling that assumes, and what the others cost.
std::string text_of(const solve::DpSgd& run);

/// The same; where a sampling has no answer its epsilon is null, and `refused` says why.
nlohmann::json to_json(const solve::DpSgd& run);

}  // namespace dpbudget::tools
