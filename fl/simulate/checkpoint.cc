#include "dpbudget/fl/simulate/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/fl/files/writable.h"
#include "dpbudget/fl/ledger/lines.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

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

// nlohmann's own conversion would cast any number.
std::uint64_t integer_from(const Json& json) {
  if (!json.is_number_unsigned()) throw std::invalid_argument("a number that should be an integer of at least 0");
  return json.get<std::uint64_t>();
}

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

Json json_of(const Identity& identity) {
  return {{"run", to_line(identity.run.written())}, {"fingerprint", identity.fingerprint}};
}

Json json_of(const State& state) {
  Json memory = Json::array();
  for (const Vector& vector : state.server.memory) memory.push_back(bytes_of(vector));
  Json clients = Json::array();
  for (const auto& [client, kept] : state.clients) {
    if (kept.control.size() == 0 && kept.model.size() == 0) continue;
    clients.push_back({{"client", client}, {"control", bytes_of(kept.control)}, {"model", bytes_of(kept.model)}});
  }
  Json history = Json::array();
  for (const Metrics& metrics : state.history) history.push_back(json_of(metrics));
  return {{"round", state.round},
          {"clip_norm", state.clip_norm},
          {"model", bytes_of(state.server.model)},
          {"control", bytes_of(state.server.control)},
          {"memory", std::move(memory)},
          {"clients", std::move(clients)},
          {"history", std::move(history)}};
}

State state_from(const Json& json) {
  State state;
  state.round = integer_from(json.at("round"));
  state.clip_norm = json.at("clip_norm");
  state.server.model = vector_from(json.at("model"));
  state.server.control = vector_from(json.at("control"));
  for (const Json& vector : json.at("memory")) state.server.memory.push_back(vector_from(vector));
  for (const Json& kept : json.at("clients"))
    state.clients[integer_from(kept.at("client"))] = {vector_from(kept.at("control")), vector_from(kept.at("model"))};
  for (const Json& metrics : json.at("history")) state.history.push_back(metrics_from(metrics));
  return state;
}

constexpr std::string_view opening = "dpbudget checkpoint ";

// The first line, always as long: damage to any byte of the file shows, but for one case in 2^32, and always where it
// is within four bytes.
std::string first_line(const std::string& content) {
  const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
  return fmt::format("{}{:08x}\n", opening, crc32_z(crc32_z(0, nullptr, 0), bytes, content.size()));
}

}  // namespace

void require_writable_checkpoint(const std::filesystem::path& file) {
  std::error_code error;  // of a file that is not there
  if (std::filesystem::is_directory(file, error) || !is_writable(part_of(file)))
    throw InvalidArgument(fmt::format("checkpoint {} cannot be written", file.string()));
}

void write_checkpoint(const std::filesystem::path& file, const Identity& identity, const State& state) {
  std::string content;
  Json::to_cbor({{"identity", json_of(identity)}, {"state", json_of(state)}}, content);
  if (!replace_file(file, {first_line(content), content}))
    throw CannotWrite(fmt::format("checkpoint {} could not be written", file.string()));
}

State read_checkpoint(const std::filesystem::path& file, const Identity& identity) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw InvalidArgument(fmt::format("checkpoint {} cannot be read", file.string()));
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  if (!whole.starts_with(opening)) throw InvalidArgument(fmt::format("checkpoint {} is no checkpoint", file.string()));
  const std::string content = whole.substr(std::min(whole.size(), first_line({}).size()));
  if (!whole.starts_with(first_line(content)))
    throw InvalidArgument(
        fmt::format("checkpoint {} is damaged: its checksum is not that of what it holds", file.string()));
  Json json;
  State state;
  try {
    json = Json::from_cbor(content);
    state = state_from(json.at("state"));
  } catch (const std::exception& error) {
    throw InvalidArgument(fmt::format("checkpoint {} is no checkpoint: {}", file.string(), error.what()));
  }
  if (json.value("identity", Json()) != json_of(identity))
    throw InvalidArgument(fmt::format("checkpoint {} is of another run or other data", file.string()));
  return state;
}

}  // namespace dpbudget::fl
