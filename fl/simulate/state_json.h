/// @file
/// What a simulation keeps, as JSON that loses no bit: in checkpoints, and between processes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/simulate/state.h"

namespace dpbudget::fl {

/// The doubles of a vector as they are in memory.
nlohmann::json bytes_of(const Vector& vector);
/// @throws std::exception when they are not that
Vector vector_from(const nlohmann::json& json);

/// @throws std::exception when it is no integer of at least 0; nlohmann's own conversion would cast any number
std::uint64_t integer_from(const nlohmann::json& json);

/// What the server keeps.
nlohmann::json json_of(const ServerState& server);
/// @throws std::exception when `json` is not that
ServerState server_from(const nlohmann::json& json);

/// What clients keep, without those that keep nothing.
nlohmann::json json_of(const std::map<std::uint64_t, ClientState>& clients);
/// @throws std::exception when `json` is not that
std::map<std::uint64_t, ClientState> clients_from(const nlohmann::json& json);

/// Evaluations.
nlohmann::json json_of(const std::vector<Metrics>& history);
/// @throws std::exception when `json` is not that
std::vector<Metrics> history_from(const nlohmann::json& json);

}  // namespace dpbudget::fl
