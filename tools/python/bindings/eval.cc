#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/eval/functions.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, function] : tools::eval_functions()) all.push_back(name);
  return all;
}

const tools::EvalFunction& function_named(const std::string& name) {
  const auto found = tools::eval_functions().find(name);
  if (found != tools::eval_functions().end()) return found->second;
  throw InvalidArgument(fmt::format("function `{}` is unknown; the nearest is `{}`", name, nearest(name, names())));
}

tools::Evaluated evaluated(const std::string& name, const std::string& json) {
  const nlohmann::json given = nlohmann::json::parse(json, nullptr, false);
  if (given.is_discarded()) throw InvalidArgument("an input has half of a surrogate pair, but must be text");
  tools::Inputs inputs(given);
  tools::Evaluated answer = function_named(name)(inputs);
  inputs.done();
  for (const double value : answer.values)
    if (std::isnan(value)) throw InvalidArgument("the value cannot be computed in double precision for these inputs");
  return answer;
}

}  // namespace

void add_eval(nb::module_& module) {
  module.def("function_names", &names, "The names of all reference functions.");
  module.def(
      "evaluate",
      [](const GivenText& name, const std::string& inputs) {
        const std::string function = name.read("function");
        const Released released;
        const tools::Evaluated answer = evaluated(function, inputs);
        return std::tuple(answer.values, answer.is_list, answer.log_values);
      },
      nb::arg("name").none(), nb::arg("inputs"),
      "values, whether they are a list, and their logarithms where there are any");
}

}  // namespace dpbudget::python
