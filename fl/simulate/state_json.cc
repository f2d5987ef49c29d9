#include "dpbudget/fl/simulate/state_json.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

Json json_of(const Metrics& metrics) {
  Json json = {{"round", metrics.round}, {"train_loss", metrics.train_loss}, {"test_score", metrics.test_score}};
  if (metrics.personal_score) json["personal_score"] = *metrics.personal_score;
  if (!metrics.measured.empty()) json["measured"] = metrics.measured;
  return json;
}

Metrics metrics_from(const Json& json) {
  Metrics metrics{integer_from(json.at("round")), json.at("train_loss"), json.at("test_score"), std::nullopt};
  if (json.contains("personal_score")) metrics.personal_score = json.at("personal_score").get<double>();
  if (json.contains("measured")) metrics.measured = json.at("measured").get<std::map<std::string, double>>();
  return metrics;
}

}  // namespace

Json bytes_of(const Vector& vector) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(vector.data());
  return Json::binary({begin, begin + static_cast<std::size_t>(vector.size()) * sizeof(double)});
}

Vector vector_from(const Json& json) {
  const auto& bytes = json.get_binary();
  if (bytes.size() % sizeof(double) != 0) throw std::invalid_argument("a vector of broken length");
  Vector vector(static_cast<Eigen::Index>(bytes.size() / sizeof(double)));
  std::ranges::copy(bytes, reinterpret_cast<std::uint8_t*>(vector.data()));
  return vector;
}

std::uint64_t integer_from(const Json& json) {
  if (!json.is_number_unsigned()) throw std::invalid_argument("a number that should be an integer of at least 0");
  return json.get<std::uint64_t>();
}

Json json_of(const ServerState& server) {
  Json memory = Json::array();
  for (const Vector& vector : server.memory) memory.push_back(bytes_of(vector));
  return {{"model", bytes_of(server.model)}, {"control", bytes_of(server.control)}, {"memory", std::move(memory)}};
}

ServerState server_from(const Json& json) {
  ServerState server{vector_from(json.at("model")), vector_from(json.at("control")), {}};
  for (const Json& vector : json.at("memory")) server.memory.push_back(vector_from(vector));
  return server;
}

Json json_of(const std::map<std::uint64_t, ClientState>& clients) {
  Json json = Json::array();
  for (const auto& [client, kept] : clients) {
    if (kept.control.size() == 0 && kept.model.size() == 0) continue;
    json.push_back({{"client", client}, {"control", bytes_of(kept.control)}, {"model", bytes_of(kept.model)}});
  }
  return json;
}

std::map<std::uint64_t, ClientState> clients_from(const Json& json) {
  std::map<std::uint64_t, ClientState> clients;
  for (const Json& kept : json)
    clients[integer_from(kept.at("client"))] = {vector_from(kept.at("control")), vector_from(kept.at("model"))};
  return clients;
}

Json json_of(const std::vector<Metrics>& history) {
  Json json = Json::array();
  for (const Metrics& metrics : history) json.push_back(json_of(metrics));
  return json;
}

std::vector<Metrics> history_from(const Json& json) {
  std::vector<Metrics> history;
  for (const Json& metrics : json) history.push_back(metrics_from(metrics));
  return history;
}

}  // namespace dpbudget::fl
