#include "dpbudget/tools/cli/check/claim.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/ledger/members.h"
#include "dpbudget/tools/cli/check/recorded.h"

namespace dpbudget::tools {
namespace {

constexpr std::array<std::string_view, 5> kinds = {"plan", "dp_event", "opacus", "rounds", "renyi"};

Plan plan_of_claim(const fl::Line& json, std::optional<Adjacency> adjacency) {
  Plan plan = json.is_string() ? parse_plan(json.get<std::string>(), adjacency) : plan_from_json(json);
  require(!adjacency || plan.adjacency == *adjacency, "adjacency", to_string(adjacency.value_or(plan.adjacency)),
          fmt::format("{}, as the plan has it", to_string(plan.adjacency)));
  require_known(plan.event);
  check(plan.event);
  return plan;
}

RenyiTable table_of(const fl::Line& json) {
  constexpr std::string_view wanted = "[[order, epsilon], ...] with at least one order";
  require(json.is_array() && !json.empty(), "renyi", json.dump().substr(0, 60), wanted);
  RenyiTable table;
  for (const fl::Line& entry : json) {
    require(entry.is_array() && entry.size() == 2 && entry[0].is_number() && entry[1].is_number(), "renyi",
            entry.dump().substr(0, 60), wanted);
    ranges::order(entry[0].get<double>());
    ranges::epsilon(entry[1].get<double>());
    table.emplace_back(entry[0].get<double>(), entry[1].get<double>());
  }
  return table;
}

std::variant<Plan, RenyiTable> what_is_claimed(std::string_view kind, const fl::Line& json,
                                               std::optional<Adjacency> adjacency, const std::string& folder) {
  if (kind == "plan") return plan_of_claim(json, adjacency);
  if (kind == "renyi") return table_of(json);
  if (kind == "dp_event") {
    require(adjacency.has_value(), "adjacency", "missing", "given beside a dp_event, which does not say it");
    return Plan{event_of_dp_accounting(json, *adjacency), *adjacency};
  }
  const Adjacency sampled = adjacency.value_or(Adjacency::add_or_remove_one);
  if (kind == "opacus") return Plan{event_of_opacus(json), sampled};
  require(json.is_string(), "rounds", json.dump().substr(0, 60), "the name of a CSV file");
  return Plan{event_of_rounds((std::filesystem::path(folder) / json.get<std::string>()).string()), sampled};
}

}  // namespace

Claim claim_from(const nlohmann::ordered_json& json, const std::string& unnamed, const std::string& folder) {
  fl::Members members(json, "claim");
  Claim claim{members.has("claim") ? members.text("claim") : unnamed, RenyiTable{}, members.number("epsilon"),
              members.number("delta")};
  ranges::epsilon(claim.epsilon);
  ranges::delta_from_zero(claim.delta);
  std::optional<Adjacency> adjacency;
  if (members.has("adjacency")) adjacency = members.named("adjacency", adjacency_named);
  std::optional<std::string_view> kind;
  for (const std::string_view name : kinds) {
    if (!members.has(name)) continue;
    require(!kind, name, "given", fmt::format("left out beside {}", kind.value_or("")));
    kind = name;
  }
  require(kind.has_value(), "claim", claim.name, fmt::format("of one of {}", fmt::join(kinds, ", ")));
  require(kind != "renyi" || (!adjacency && claim.delta > 0), "renyi", "given",
          "beside a delta above 0 and without an adjacency, which is that of the table");
  claim.of = what_is_claimed(*kind, members.at(*kind), adjacency, folder);
  members.done();
  return claim;
}

}  // namespace dpbudget::tools
