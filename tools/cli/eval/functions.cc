#include "dpbudget/tools/cli/eval/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/version.h"

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

const EvalFunctions& eval_functions() {
  static const EvalFunctions functions = make_functions();
  return functions;
}

const EvalFunction& eval_function(const std::string& name) {
  const auto found = eval_functions().find(name);
  if (found != eval_functions().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, function] : eval_functions()) names.push_back(known);
  throw InvalidArgument(fmt::format("function `{}` is unknown; the nearest is `{}`", name, nearest(name, names)));
}

Evaluated value_of(const EvalFunction& function, const nlohmann::json& inputs) {
  Inputs in(inputs, function.parameters);
  in.check_names();
  Evaluated found;
  try {
    found = function.value(in);
  } catch (const InvalidArgument& refusal) {
    throw InvalidArgument(in.named_as_given(refusal.what()));
  }
  in.done();
  for (const double value : found.values)
    if (std::isnan(value)) throw InvalidArgument("the value cannot be computed in double precision for these inputs");
  return found;
}

nlohmann::json evaluate(const nlohmann::json& query) {
  nlohmann::json answer{{"id", query.value("id", nlohmann::json())}, {"version", version}};
  try {
    const Evaluated found =
        value_of(eval_function(query.value("function", "")), query.value("inputs", nlohmann::json::object()));
    const auto is_plain = [](double value) { return least_plain <= value && value <= greatest_plain; };
    if (!found.log_values.empty() && !std::ranges::all_of(found.values, is_plain))
      answer["ln_value"] = json_of(found.log_values, found.is_list);
    answer["value"] = json_of(found.values, found.is_list);
  } catch (const InvalidArgument& refusal) {
    answer["refused"] = refusal.what();
  } catch (const Unsupported& refusal) {
    answer["refused"] = refusal.what();
  } catch (const nlohmann::json::exception& error) {
    answer["refused"] = fmt::format("the query is not of the form {{id, function, inputs}}: {}", error.what());
  }
  return answer;
}

}  // namespace dpbudget::tools
