#include "dpbudget/tools/cli/eval/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/version.h"

namespace dpbudget::tools {
namespace {

std::string_view worth_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::exact:
      return "the quantity itself, up to the accuracy";
    case ValueKind::upper_bound:
      return "proven by the source; computed to the accuracy, not rounded up";
    case ValueKind::rounded_bound:
      return "proven by the source, rounding included";
    case ValueKind::estimate:
      return "it may lie on either side of the truth";
    case ValueKind::published:
      return "as its paper states it; not proven here";
    case ValueKind::refuted:
      return "as its paper states it; false, or for no run at all";
    case ValueKind::order:
      break;
  }
  return "each term up to a constant that the paper does not give";
}

std::string signature(const std::string& name, const EvalFunction& function) {
  std::string names;
  for (const Parameter& parameter : function.parameters)
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", parameter.name, parameter.is_optional() ? "?" : "");
  return fmt::format("{}({})", name, names);
}

std::string parameter_text(const Parameter& parameter) {
  std::string text(parameter.meaning);
  const bool is_said = parameter.meaning.find(parameter.unit) != std::string_view::npos;
  if (parameter.unit != "1" && !is_said) text += fmt::format(" ({})", parameter.unit);
  const std::string range = range_text(parameter);
  if (!range.empty()) text += "; " + range;
  if (parameter.is_optional()) text += fmt::format("; left out, {}", parameter.left_out);
  std::string aliases;
  for (const std::string_view alias : parameter.aliases)
    if (!alias.empty()) aliases += fmt::format("{}{}", aliases.empty() ? "" : ", ", alias);
  if (!aliases.empty()) text += "; also as " + aliases;
  return text;
}

constexpr std::size_t widest = 98;

// Between members alone, so that none is torn from its value.
std::string broken_between_members(const std::string& query) {
  std::string lines = "  ";
  std::size_t length = lines.size();
  for (std::size_t from = 0; from < query.size();) {
    const std::size_t comma = query.find(", ", from);
    const std::string part = query.substr(from, comma == std::string::npos ? comma : comma + 2 - from);
    if (length + part.size() > widest) {
      lines.back() = '\n';
      lines += "    ";
      length = 4;
    }
    lines += part;
    length += part.size();
    from += part.size();
  }
  return lines;
}

// A query is one line, so that what is broken is joined again.
std::string command_of(const std::string& name, const EvalFunction& function) {
  const std::string query =
      fmt::format(R"(echo '{{"id": 1, "function": "{}", "inputs": {}}}')", name, function.example.inputs);
  constexpr std::string_view reader = " | dpbudget eval -";
  if (query.size() + reader.size() <= widest) return "  " + query + std::string(reader) + "\n";
  if (query.size() + 2 <= widest) return fmt::format("  {} |\n      dpbudget eval -\n", query);
  return fmt::format("{} |\n      tr -d '\\n'{}\n", broken_between_members(query), reader);
}

}  // namespace

std::string functions_text() {
  std::string text;
  for (const auto& [name, function] : eval_functions()) {
    if (!text.empty()) text += "\n";
    text += field("", signature(name, function), 0) + field("", function.summary, 4);
    text += field("", fmt::format("{}: {}", to_string(function.kind), function.source), 4);
  }
  return text;
}

nlohmann::json functions_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [name, function] : eval_functions()) {
    nlohmann::json parameters = nlohmann::json::array();
    for (const Parameter& parameter : function.parameters) parameters.push_back(parameter_json(parameter));
    all.push_back({{"name", name},
                   {"summary", function.summary},
                   {"gives", function.gives},
                   {"accuracy", function.accuracy},
                   {"kind", to_string(function.kind)},
                   {"adjacency", function.adjacency},
                   {"source", function.source},
                   {"note", function.note},
                   {"parameters", std::move(parameters)},
                   {"example",
                    {{"inputs", nlohmann::json::parse(function.example.inputs)},
                     {"value", nlohmann::json::parse(function.example.value)}}}});
  }
  return {{"version", version}, {"functions", std::move(all)}};
}

std::string function_text(const std::string& name, const EvalFunction& function) {
  std::string text = field("", fmt::format("{}: {}", name, function.summary), 0) + "\n";
  text += field("gives", function.gives);
  text += field("kind", fmt::format("{}: {}", to_string(function.kind), worth_of(function.kind)));
  text += field("accuracy", function.accuracy);
  if (!function.adjacency.empty()) text += field("adjacency", function.adjacency);
  text += field("source", function.source);
  if (!function.note.empty()) text += field("note", function.note);
  text += "\nParameters:\n";
  std::size_t widest = 0;
  for (const Parameter& parameter : function.parameters) widest = std::max(widest, parameter.name.size());
  for (const Parameter& parameter : function.parameters)
    text += field(fmt::format("  {}", parameter.name), parameter_text(parameter), widest + 4);
  const nlohmann::json query{{"id", 1}, {"function", name}, {"inputs", nlohmann::json::parse(function.example.inputs)}};
  return text + "\nExample:\n" + command_of(name, function) + "  " + evaluate(query).dump() + "\n";
}

}  // namespace dpbudget::tools
