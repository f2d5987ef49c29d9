#include "dpbudget/tools/cli/eval/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/output/bound_output.h"

namespace dpbudget::tools {
namespace {

// A double holds the value to full precision inside these; outside, its logarithm is given as well.
constexpr double least_plain = 1e-290;
constexpr double greatest_plain = 1e290;

nlohmann::json json_of(const std::vector<double>& values, bool is_list) {
  if (!is_list) return json_number(values.front());
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

std::optional<double> as_number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

EvalFunctions make_functions() {
  EvalFunctions functions;
  add_approximate_functions(functions);
  add_profile_functions(functions);
  add_renyi_functions(functions);
  add_concentrated_functions(functions);
  add_tradeoff_functions(functions);
  add_shuffle_functions(functions);
  add_published_functions(functions);
  add_schedule_functions(functions);
  add_algorithm_functions(functions);
  add_convergence_functions(functions);
  return functions;
}

}  // namespace

Inputs::Inputs(const nlohmann::json& inputs) : inputs_(inputs) {
  if (!inputs.is_object()) throw InvalidArgument("inputs must be a JSON object");
}

const nlohmann::json& Inputs::at(const std::string& name) {
  asked_.push_back(name);
  const auto found = inputs_.find(name);
  if (found == inputs_.end()) throw InvalidArgument(fmt::format("{} is missing", name));
  return *found;
}

double Inputs::number(const std::string& name) {
  const nlohmann::json& found = at(name);
  if (const auto number = as_number(found)) return *number;
  throw InvalidArgument(fmt::format("{} is {}, but must be a number", name, found.dump()));
}

std::vector<double> Inputs::numbers(const std::string& name) {
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

std::string Inputs::text(const std::string& name) {
  const nlohmann::json& found = at(name);
  if (!found.is_string()) throw InvalidArgument(fmt::format("{} is {}, but must be a string", name, found.dump()));
  return found.get<std::string>();
}

double Inputs::number_or(const std::string& name, double fallback) {
  return inputs_.contains(name) ? number(name) : fallback;
}

std::uint64_t Inputs::count(const std::string& name) {
  const double value = number(name);
  require(value == std::floor(value) && 0 <= value && value <= static_cast<double>(ranges::max_count), name, value,
          "an integer in [0, 2^53]");
  return to_integer<std::uint64_t>(value, name);
}

bool Inputs::is_asked(const std::string& name) const { return std::ranges::find(asked_, name) != asked_.end(); }

void Inputs::done() const {
  for (const auto& [name, value] : inputs_.items())
    if (!is_asked(name)) throw InvalidArgument(fmt::format("{} is not an input of this function", name));
}

const EvalFunctions& eval_functions() {
  static const EvalFunctions functions = make_functions();
  return functions;
}

nlohmann::json evaluate(const nlohmann::json& query) {
  nlohmann::json answer{{"id", query.value("id", nlohmann::json())}};
  const auto refuse = [&](const char* why) {
    answer.erase("value");
    answer["refused"] = why;
  };
  try {
    const std::string name = query.value("function", "");
    const auto function = eval_functions().find(name);
    if (function == eval_functions().end()) throw InvalidArgument(fmt::format("function `{}` is unknown", name));
    const nlohmann::json given = query.value("inputs", nlohmann::json::object());
    Inputs inputs(given);
    const Evaluated evaluated = function->second(inputs);
    inputs.done();
    for (const double value : evaluated.values)
      if (std::isnan(value)) throw InvalidArgument("the value cannot be computed in double precision for these inputs");
    answer["value"] = json_of(evaluated.values, evaluated.is_list);
    const auto is_plain = [](double value) { return least_plain <= value && value <= greatest_plain; };
    if (!evaluated.log_values.empty() && !std::ranges::all_of(evaluated.values, is_plain))
      answer["ln_value"] = json_of(evaluated.log_values, evaluated.is_list);
  } catch (const InvalidArgument& refusal) {
    refuse(refusal.what());
  } catch (const Unsupported& refusal) {
    refuse(refusal.what());
  } catch (const nlohmann::json::exception& error) {
    answer["refused"] = fmt::format("the query is not of the form {{id, function, inputs}}: {}", error.what());
  }
  return answer;
}

}  // namespace dpbudget::tools
