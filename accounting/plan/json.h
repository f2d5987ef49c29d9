/// @file
/// Plans as JSON, the same tree without loss:
///
///     {"version": 1, "adjacency": "replace_one",
///      "event": {"repeated": {"count": 10, "inner": {"sampled_without_replacement":
///                 {"rate": {"drawn": 800, "population": 4000}, "inner": {"gaussian": {"noise_multiplier": 10.0}}}}}}}
///
/// An unknown number is the string "?". plan.schema.json, which is installed, is the JSON schema.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

inline constexpr int plan_json_version = 1;

/// An event as an object with its name in JSON.
nlohmann::json to_json(const Event& event);
/// A plan with its version and its adjacency.
nlohmann::json to_json(const Plan& plan);

/// @throws InvalidArgument naming the key that is missing, unknown or of the wrong kind, or the number out of range
Event event_from_json(const nlohmann::json& json);

/// @throws InvalidArgument as `event_from_json`, and when the version is not plan_json_version
Plan plan_from_json(const nlohmann::json& json);

}  // namespace dpbudget
