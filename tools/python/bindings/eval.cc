#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

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

tools::Evaluated evaluated(const std::string& name, const std::string& json) {
  const nlohmann::json given = nlohmann::json::parse(json, nullptr, false);
  if (given.is_discarded()) throw InvalidArgument("an input has half of a surrogate pair, but must be text");
  return tools::value_of(tools::eval_function(name), given);
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
