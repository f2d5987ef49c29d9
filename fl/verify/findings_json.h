/// @file
/// What was found in participations, as one process tells another.
#pragma once

#include <nlohmann/json.hpp>

#include "dpbudget/fl/verify/participation_checks.h"

namespace dpbudget::fl {

/// To be sent as CBOR, which keeps every double.
nlohmann::json to_json(const ParticipationFindings& found);

/// @throws nlohmann::json::exception when it is none of to_json
ParticipationFindings findings_from(const nlohmann::json& json);

}  // namespace dpbudget::fl
