#include "dpbudget/tools/cli/output/bound_output.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {

std::string plan_lines(const Plan& plan) {
  return field("plan", to_text(plan.event)) + field("adjacency", to_string(plan.adjacency));
}

namespace {

constexpr std::size_t accountant_width = 19;

// One theorem a line.
std::string theorems(std::string_view name, const Bound& bound, std::size_t width) {
  std::string lines;
  for (const std::string& theorem : bound.theorems) {
    lines += field(name, theorem, width);
    name = "";
  }
  return lines;
}

}  // namespace

std::string named_lines(std::string_view name, std::string_view text) { return field(name, text, accountant_width); }

std::string theorem_lines(std::string_view name, const Bound& bound) {
  std::string lines = theorems(name, bound, accountant_width);
  for (const std::string& note : bound.notes) lines += named_lines("", "note: " + note);
  return lines;
}

std::string reason_lines(const Bound& bound) {
  std::string lines;
  if (!bound.accountant.empty()) lines += field("accountant", bound.accountant);
  lines += theorems("by", bound, default_name_width);
  for (const std::string& note : bound.notes) lines += field("note", note);
  return lines;
}

BoundText texts_of(const Bound& bound) {
  return {rounded_up(bound.upper), bound.lower > 0 ? rounded_down(bound.lower) : ""};
}

BoundText texts_of(const DeltaBound& found) {
  return {rounded_up_exp(found.log_upper), std::isfinite(found.log_lower) ? rounded_down_exp(found.log_lower) : ""};
}

namespace {

std::string bracket(const BoundText& text, Guarantee guarantee) {
  if (guarantee == Guarantee::estimate) return fmt::format("about {} (estimate)", text.most);
  if (text.least.empty()) return fmt::format("at most {} (proven)", text.most);
  return fmt::format("at most {}, at least {} (both proven)", text.most, text.least);
}

}  // namespace

std::string bracket_text(const Bound& bound) { return bracket(texts_of(bound), bound.guarantee); }
std::string bracket_text(const DeltaBound& found) { return bracket(texts_of(found), found.bound.guarantee); }

std::string claimed_text(double epsilon) { return std::isfinite(epsilon) ? rounded_up(epsilon) : "none"; }

std::string claimed_text(const std::optional<Bound>& claim) {
  if (!claim || !std::isfinite(claim->upper)) return "none";
  return fmt::format("{} {}", rounded_up(claim->upper), to_string(claim->guarantee));
}

nlohmann::json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

nlohmann::json to_json(const Bound& bound) {
  return {{"lower", json_number(bound.lower)},
          {"upper", json_number(bound.upper)},
          {"guarantee", to_string(bound.guarantee)},
          {"theorem", joined(bound.theorems)},
          {"theorems", bound.theorems},
          {"notes", bound.notes},
          {"accountant", bound.accountant}};
}

nlohmann::json to_json(const DeltaBound& found) {
  nlohmann::json json = to_json(found.bound);
  json["ln_lower"] = json_number(found.log_lower);
  json["ln_upper"] = json_number(found.log_upper);
  return json;
}

}  // namespace dpbudget::tools
