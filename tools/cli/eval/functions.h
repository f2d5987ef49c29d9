/// @file
/// The reference functions by the names that `dpbudget eval` takes.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/tools/cli/eval/inputs.h"
#include "dpbudget/tools/cli/eval/parameter.h"

namespace dpbudget::tools {

/// A function's value or values, and their logarithms where a value may leave the range of a double.
struct Evaluated {
  std::vector<double> values;
  bool is_list = false;
  std::vector<double> log_values{};  ///< none, or one for each value
};

/// What a function's value is worth.
enum class ValueKind {
  exact,          ///< the quantity itself
  upper_bound,    ///< by a theorem; computed to nearest
  rounded_bound,  ///< the same, rounding included
  estimate,       ///< may lie on either side of the truth
  published,      ///< as a paper states it; not proven here
  refuted,        ///< as a paper states it; false, or for no run at all
  order,          ///< terms up to constants that the paper does not give
};

/// A query's inputs and its value, as JSON.
struct Example {
  std::string_view inputs;
  std::string_view value;
};

/// A reference function, and all that a reader must know of it.
struct EvalFunction {
  using Value = std::function<Evaluated(Inputs&)>;

  std::string summary{};
  std::string gives{};     ///< the value, or the members of the list, and the unit
  std::string accuracy{};  ///< of the computation
  ValueKind kind{};
  std::string adjacency = "any";  ///< empty of what is no privacy
  std::string source{};
  std::string note{};  ///< what a reader must know besides, or empty
  std::vector<Parameter> parameters{};
  Example example{};
  Value value{};
};

using EvalFunctions = std::map<std::string, EvalFunction>;

/// All of them, by name.
const EvalFunctions& eval_functions();

/// @throws InvalidArgument when there is none of that name, with the nearest
const EvalFunction& eval_function(const std::string& name);

/// The function at these inputs, an object.
/// @throws InvalidArgument, by the names that were given, and Unsupported, where it is refused
Evaluated value_of(const EvalFunction& function, const nlohmann::json& inputs);

/// The answer to one query {"id", "function", "inputs"}: {"id", "value", "version"}, with "ln_value" where the value
/// leaves [1e-290, 1e290], or {"id", "refused", "version"} with the reason.
nlohmann::json evaluate(const nlohmann::json& query);

}  // namespace dpbudget::tools

namespace dpbudget {

template <>
struct Names<tools::ValueKind> {
  static constexpr NameTable<tools::ValueKind, 7> all{{{tools::ValueKind::exact, "exact"},
                                                       {tools::ValueKind::upper_bound, "upper bound"},
                                                       {tools::ValueKind::rounded_bound, "upper bound, rounded up"},
                                                       {tools::ValueKind::estimate, "estimate"},
                                                       {tools::ValueKind::published, "published"},
                                                       {tools::ValueKind::refuted, "refuted"},
                                                       {tools::ValueKind::order, "order"}}};
};

}  // namespace dpbudget
