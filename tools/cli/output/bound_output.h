/// @file
/// Bounds and plans as every command prints them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// The lines that say which plan was read, and under which adjacency.
std::string plan_lines(const Plan& plan);

/// The lines that say by which theorems, one a line, and the notes.
std::string reason_lines(const Bound& bound);

/// The theorems and notes under a name of one's own, or any other text: names up to those of accountants fit the
/// column.
std::string theorem_lines(std::string_view name, const Bound& bound);
std::string named_lines(std::string_view name, std::string_view text);

/// The two ends, rounded outwards; the lower one is empty where none is known.
struct BoundText {
  std::string most;
  std::string least;
};
BoundText texts_of(const Bound& bound);
BoundText texts_of(const DeltaBound& found);

/// "at most 1.2, at least 1.1 (both proven)", the latter where a lower bound is known; an estimate is "about 1.2".
std::string bracket_text(const Bound& bound);
std::string bracket_text(const DeltaBound& found);

/// A claimed epsilon, rounded up; "none" where it is infinite, for then nothing is claimed.
std::string claimed_text(double epsilon);
/// The same with what the claim is: "1.2 estimate".
std::string claimed_text(const std::optional<Bound>& claim);

/// A number for JSON, which has no infinity: then the string "inf".
nlohmann::json json_number(double value);

nlohmann::json to_json(const Bound& bound);
/// With the logarithms of both ends.
nlohmann::json to_json(const DeltaBound& found);

}  // namespace dpbudget::tools
