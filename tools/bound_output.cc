#include "dpbudget/tools/bound_output.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/number.h"
#include "dpbudget/tools/table.h"

namespace dpbudget::tools {

std::string plan_lines(const Plan& plan) {
  return field("plan", to_text(plan.event)) + field("adjacency", to_string(plan.adjacency));
}

std::string reason_lines(const Bound& bound) {
  std::string lines;
  if (!bound.accountant.empty()) lines += field("accountant", bound.accountant);
  std::size_t start = 0;
  while (start < bound.theorem.size()) {
    const std::size_t end = std::min(bound.theorem.find("; ", start), bound.theorem.size());
    lines += field(start == 0 ? "by" : "", bound.theorem.substr(start, end - start));
    start = end + 2;
  }
  for (const std::string& note : bound.notes) lines += field("note", note);
  return lines;
}

namespace {

std::string bracket(const std::string& most, const std::string& least, Guarantee guarantee) {
  if (least.empty()) return fmt::format("at most {} ({})", most, to_string(guarantee));
  return fmt::format("at most {}, at least {} (both {})", most, least, to_string(guarantee));
}

}  // namespace

std::string bracket_text(const Bound& bound) {
  return bracket(rounded_up(bound.upper), bound.lower > 0 ? rounded_down(bound.lower) : "", bound.guarantee);
}

std::string bracket_text(const DeltaBound& found) {
  const bool has_lower = std::isfinite(found.log_lower);
  return bracket(rounded_up_exp(found.log_upper), has_lower ? rounded_down_exp(found.log_lower) : "",
                 found.bound.guarantee);
}

nlohmann::json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

nlohmann::json to_json(const Bound& bound) {
  return {{"lower", json_number(bound.lower)},
          {"upper", json_number(bound.upper)},
          {"guarantee", to_string(bound.guarantee)},
          {"theorem", bound.theorem},
          {"notes", bound.notes},
          {"accountant", bound.accountant}};
}

}  // namespace dpbudget::tools
