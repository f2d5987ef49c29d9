#include "dpbudget/fl/simulate/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/fl/files/writable.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/simulate/state_json.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

Json json_of(const Identity& identity) {
  return {{"run", to_line(identity.run.written())}, {"fingerprint", identity.fingerprint}};
}

Json json_of(const State& state) {
  Json json = json_of(state.server);
  json["round"] = state.round;
  json["clip_norm"] = state.clip_norm;
  json["clients"] = json_of(state.clients);
  json["history"] = json_of(state.history);
  return json;
}

State state_from(const Json& json) {
  return {integer_from(json.at("round")), json.at("clip_norm"), server_from(json), clients_from(json.at("clients")),
          history_from(json.at("history"))};
}

// Of those that draw what this program does, and of those that drew by Philox.
constexpr std::string_view opening = "dpbudget checkpoint, version 2 ";
constexpr std::string_view older_opening = "dpbudget checkpoint ";

// The first line, always as long: damage to any byte of the file shows, but for one case in 2^32, and always where it
// is within four bytes.
std::string first_line(const std::string& content) {
  const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
  return fmt::format("{}{:08x}\n", opening, crc32_z(crc32_z(0, nullptr, 0), bytes, content.size()));
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Identity& identity, const State& state) {
  std::string content;
  Json::to_cbor({{"identity", json_of(identity)}, {"state", json_of(state)}}, content);
  if (!replace_file(file, {first_line(content), content}))
    throw CannotWrite(fmt::format("checkpoint {} could not be written", file.string()));
}

CheckpointFile::CheckpointFile(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code error;  // of a file that is not there
  if (std::filesystem::is_directory(file_, error) || !is_writable(part_of(file_)))
    throw InvalidArgument(fmt::format("checkpoint {} cannot be written", file_.string()));
  if (!hold()) throw InvalidArgument(fmt::format("checkpoint {} is being written by another run", file_.string()));
}

void CheckpointFile::write(const Identity& identity, const State& state) {
  if (!is_held_ && !hold())
    throw CannotWrite(fmt::format("checkpoint {} is being written by another run", file_.string()));
  // What takes the file's place is held before it does: there is no moment at which another run could take it.
  FileLock next;
  if (!takes_directly(file_) && !next.take(part_of(file_)))
    throw CannotWrite(fmt::format("checkpoint {} is being written by another run", file_.string()));
  write_checkpoint(file_, identity, state);
  swap(lock_, next);
  is_held_ = true;
}

// Nothing is made for a run that may end before its first checkpoint.
bool CheckpointFile::hold() {
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return true;
  is_held_ = lock_.take(file_);
  return is_held_;
}

State read_checkpoint(const std::filesystem::path& file, const Identity& identity) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw InvalidArgument(fmt::format("checkpoint {} cannot be read", file.string()));
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  if (whole.starts_with(older_opening))
    throw InvalidArgument(fmt::format(
        "checkpoint {} is of an older version of the program, which drew other random numbers: only that continues it",
        file.string()));
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
