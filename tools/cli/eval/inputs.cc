#include "dpbudget/tools/cli/eval/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::tools {
namespace {

std::optional<double> as_number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

bool is_one_of(std::string_view name, const Words& words) {
  return !name.empty() && std::ranges::find(words, name) != words.end();
}

bool is_accepted(std::string_view name, const Parameter& parameter) {
  return name == parameter.name || is_one_of(name, parameter.aliases);
}

}  // namespace

Inputs::Inputs(const nlohmann::json& inputs, std::span<const Parameter> parameters)
    : inputs_(inputs), parameters_(parameters) {
  if (!inputs.is_object()) throw InvalidArgument("inputs must be a JSON object");
  for (const Parameter& parameter : parameters) {
    std::string first;
    for (const auto& [name, value] : inputs.items()) {
      if (!is_accepted(name, parameter)) continue;
      if (!first.empty()) throw InvalidArgument(fmt::format("{} and {} are the same input: give one", first, name));
      first = name;
    }
  }
}

void Inputs::check_names() const {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters_) known.emplace_back(parameter.name);
  for (const auto& [name, value] : inputs_.items()) {
    const auto accepts = [&name = name](const Parameter& parameter) { return is_accepted(name, parameter); };
    if (std::ranges::any_of(parameters_, accepts)) continue;
    throw InvalidArgument(
        fmt::format("{} is not an input of this function; the nearest is {}", name, nearest(name, known)));
  }
}

const Parameter& Inputs::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found == parameters_.end()) throw std::logic_error(fmt::format("{} is asked for, but no parameter", name));
  return *found;
}

std::string Inputs::given_name(const Parameter& parameter) const {
  for (const auto& [name, value] : inputs_.items())
    if (is_accepted(name, parameter)) return name;
  return std::string(parameter.name);
}

const nlohmann::json* Inputs::find(std::string_view name) const {
  const auto found = inputs_.find(given_name(parameter(name)));
  return found == inputs_.end() ? nullptr : &*found;
}

bool Inputs::has(std::string_view name) const { return find(name) != nullptr; }

const nlohmann::json& Inputs::at(std::string_view name) {
  asked_.push_back(parameter(name).name);
  if (const nlohmann::json* found = find(name)) return *found;
  throw InvalidArgument(fmt::format("{} is missing", name));
}

double Inputs::number(std::string_view name) {
  const nlohmann::json& found = at(name);
  if (const auto number = as_number(found)) return *number;
  throw InvalidArgument(fmt::format("{} is {}, but must be a number", name, found.dump()));
}

std::vector<double> Inputs::numbers(std::string_view name) {
  const nlohmann::json& found = at(name);
  if (!found.is_array())
    throw InvalidArgument(fmt::format("{} is {}, but must be a list of numbers", name, found.dump()));
  std::vector<double> values;
  values.reserve(found.size());
  for (const nlohmann::json& element : found) {
    const auto number = as_number(element);
    if (!number)
      throw InvalidArgument(fmt::format("{} has the element {}, but must be a list of numbers", name, element.dump()));
    values.push_back(*number);
  }
  return values;
}

std::string Inputs::text(std::string_view name) {
  const nlohmann::json& found = at(name);
  if (!found.is_string()) throw InvalidArgument(fmt::format("{} is {}, but must be a string", name, found.dump()));
  return found.get<std::string>();
}

double Inputs::number_or(std::string_view name, double fallback) { return has(name) ? number(name) : fallback; }

std::uint64_t Inputs::count(std::string_view name) {
  const double value = number(name);
  require(value == std::floor(value) && 0 <= value && value <= static_cast<double>(ranges::max_count), name, value,
          "an integer in [0, 2^53]");
  return to_integer<std::uint64_t>(value, name);
}

bool Inputs::is_asked(std::string_view name) const {
  return std::ranges::any_of(asked_, [&](std::string_view asked) { return is_accepted(name, parameter(asked)); });
}

void Inputs::done() const {
  for (const auto& [name, value] : inputs_.items())
    if (!is_asked(name))
      throw InvalidArgument(fmt::format("{} is not an input of this function beside the others that are given", name));
}

std::string Inputs::named_as_given(const std::string& refusal) const {
  const std::size_t end = refusal.find_first_of(" ");
  const std::string_view name = std::string_view(refusal).substr(0, end);
  for (const Parameter& parameter : parameters_)
    if (is_accepted(name, parameter) || is_one_of(name, parameter.library_names))
      return given_name(parameter) + refusal.substr(name.size());
  return refusal;
}

}  // namespace dpbudget::tools
