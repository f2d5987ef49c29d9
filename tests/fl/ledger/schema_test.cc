// The published schema against what the program writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "fl/small.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

Json schema() {
  std::ifstream file(DPBUDGET_SOURCE_DIR "/docs/ledger.schema.json");
  return Json::parse(file);
}

bool has_type(const Json& value, const Json& type) {
  if (type.is_array()) return std::ranges::any_of(type, [&](const Json& one) { return has_type(value, one); });
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type.get<std::string>();
}

// What the schema says of the keywords that it uses, but for patterns.
bool is_valid(const Json& value, const Json& rules) {
  if (rules.contains("type") && !has_type(value, rules["type"])) return false;
  if (rules.contains("const") && value != rules["const"]) return false;
  if (rules.contains("enum") && std::ranges::find(rules["enum"], value) == rules["enum"].end()) return false;
  if (rules.contains("minimum") && value < rules["minimum"]) return false;
  if (rules.contains("exclusiveMinimum") && value <= rules["exclusiveMinimum"]) return false;
  if (rules.contains("items"))
    for (const Json& item : value)
      if (!is_valid(item, rules["items"])) return false;
  if (!rules.contains("properties")) return true;
  for (const Json& key : rules["required"])
    if (!value.contains(key.get<std::string>())) return false;
  for (const auto& [key, member] : value.items()) {
    if (!rules["properties"].contains(key)) {
      if (rules.value("additionalProperties", true)) continue;
      return false;
    }
    if (!is_valid(member, rules["properties"][key])) return false;
  }
  return true;
}

bool is_line(const Json& line, const Json& rules) {
  return std::ranges::count_if(rules["oneOf"], [&](const Json& kind) { return is_valid(line, kind); }) == 1;
}

TEST(LedgerSchema, HoldsForEveryLine) {
  const Json rules = schema();
  for (const auto& entry : std::filesystem::directory_iterator(DPBUDGET_SOURCE_DIR "/tests/fl/ledger/version_4")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) EXPECT_TRUE(is_line(Json::parse(line), rules)) << line;
  }
  for (const AlgorithmTraits& algorithm : all_algorithms()) {
    RunRequest run = small_run(algorithm.name);
    if (algorithm.takes("step_schedule")) run.options["step_schedule"] = "inverse-sqrt";
    for (const std::string& line : lines_of(ledger_text(run, ten_clients())))
      EXPECT_TRUE(is_line(Json::parse(line), rules)) << line;
  }
  RunRequest single = small_run("dp-fedavg");
  single.precision = Precision::single_;
  for (const std::string& line : lines_of(ledger_text(single, ten_clients())))
    EXPECT_TRUE(is_line(Json::parse(line), rules)) << line;
  RunRequest following = small_run("dp-fedavg");
  following.schedule = "validation:factor=0.5,patience=1";
  following.epsilon = 30;
  for (const std::string& line : lines_of(ledger_text(following, ten_clients())))
    EXPECT_TRUE(is_line(Json::parse(line), rules)) << line;
}

// So that an option which is added is described too.
TEST(LedgerSchema, NamesEveryOption) {
  const Json named = schema()["oneOf"][0]["properties"]["run"]["properties"];
  for (const AlgorithmTraits& algorithm : all_algorithms())
    for (const OptionList& list : algorithm.option_lists())
      for (const OptionInfo& info : list.infos()) EXPECT_TRUE(named.contains(info.key)) << info.key;
}

TEST(LedgerSchema, RefusesWhatIsNoLine) {
  const Json rules = schema();
  Json line = Json::parse(lines_of(ledger_text(small_run("dp-fedavg"), ten_clients())).at(2));
  EXPECT_TRUE(is_line(line, rules));
  line["more"] = 1;
  EXPECT_FALSE(is_line(line, rules));
  line.erase("more");
  line["releases"][0]["largest_released"] = -1;
  EXPECT_FALSE(is_line(line, rules));
  line["releases"][0].erase("largest_released");
  EXPECT_FALSE(is_line(line, rules));
}

}  // namespace
}  // namespace dpbudget::fl
