/// @file
/// Bounds and plans as every command prints them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/accounting/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// The lines that say which plan was read, and under which adjacency.
std::string plan_lines(const Plan& plan);

/// The lines that say by which theorems, one a line, and the notes.
std::string reason_lines(const Bound& bound);

/// "at most 1.2 (proven), at least 1.1 (proven)", the latter where a lower bound is known; rounded outwards.
std::string bracket_text(const Bound& bound);
std::string bracket_text(const DeltaBound& found);

/// A number for JSON, which has no infinity: then the string "inf".
nlohmann::json json_number(double value);

nlohmann::json to_json(const Bound& bound);

}  // namespace dpbudget::tools
