#include "dpbudget/tools/cli/eval/parameter.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dpbudget/tools/cli/output/bound_output.h"

namespace dpbudget::tools {
namespace {

// Large powers of two as such: a reader knows 2^53.
std::string end_text(double end) {
  constexpr double least_power = 0x1p16;
  if (std::isfinite(end) && least_power <= end && std::exp2(std::round(std::log2(end))) == end)
    return fmt::format("2^{:.0f}", std::log2(end));
  return fmt::format("{:g}", end);
}

std::string interval_text(const Range& range) {
  return fmt::format("{}{}, {}{}", range.has_low ? '[' : '(', end_text(range.low), end_text(range.high),
                     range.has_high ? ']' : ')');
}

std::string choices_text(const Words& choices) {
  std::string text;
  for (const std::string_view choice : choices) {
    if (choice.empty()) continue;
    text += (text.empty() ? "" : " or ") + std::string(choice);
  }
  return text;
}

std::string allowed_text(const Parameter& parameter) {
  if (!parameter.choices.front().empty()) return choices_text(parameter.choices);
  switch (parameter.type) {
    case ParameterType::text:
      return "";
    case ParameterType::integer:
      return "an integer in " + interval_text(parameter.range);
    case ParameterType::numbers:
      return "each in " + interval_text(parameter.range);
    case ParameterType::number:
      break;
  }
  return "in " + interval_text(parameter.range);
}

nlohmann::json words_json(const Words& words) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string_view word : words)
    if (!word.empty()) list.push_back(word);
  return list;
}

}  // namespace

std::string range_text(const Parameter& parameter) {
  std::string text = allowed_text(parameter);
  if (!text.empty() && !parameter.condition.empty()) text += ", ";
  return text.append(parameter.condition);
}

nlohmann::json parameter_json(const Parameter& parameter) {
  nlohmann::json range{{"text", range_text(parameter)}};
  if (!parameter.choices.front().empty()) {
    range["choices"] = words_json(parameter.choices);
  } else if (parameter.type != ParameterType::text) {
    range["low"] = json_number(parameter.range.low);
    range["high"] = json_number(parameter.range.high);
    range["has_low"] = parameter.range.has_low;
    range["has_high"] = parameter.range.has_high;
  }
  nlohmann::json json{{"name", parameter.name},
                      {"meaning", parameter.meaning},
                      {"unit", parameter.unit},
                      {"type", to_string(parameter.type)},
                      {"range", std::move(range)},
                      {"optional", parameter.is_optional()},
                      {"aliases", words_json(parameter.aliases)}};
  if (parameter.is_optional()) json["left_out"] = parameter.left_out;
  return json;
}

}  // namespace dpbudget::tools
