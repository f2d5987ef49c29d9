/// @file
/// The reference functions by the names that `dpbudget eval` takes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dpbudget::tools {

/// The inputs of one query. Each is asked for by name; what nobody asked for is refused.
class Inputs {
 public:
  /// @throws InvalidArgument unless `inputs` is a JSON object
  explicit Inputs(const nlohmann::json& inputs);

  /// @throws InvalidArgument when the input is missing or no number; the strings "inf" and "nan" are numbers
  double number(const std::string& name);
  double number_or(const std::string& name, double fallback);
  bool has(const std::string& name) const { return inputs_.contains(name); }

  /// @throws InvalidArgument when the input is missing or no integer in [0, 2^53]
  std::uint64_t count(const std::string& name);

  /// @throws InvalidArgument when the input is missing or no list of numbers
  std::vector<double> numbers(const std::string& name);

  /// @throws InvalidArgument when the input is missing or no string
  std::string text(const std::string& name);

  /// Whether the input was asked for.
  bool is_asked(const std::string& name) const;

  /// @throws InvalidArgument naming an input that was not asked for
  void done() const;

 private:
  const nlohmann::json& at(const std::string& name);

  const nlohmann::json& inputs_;
  std::vector<std::string> asked_;
};

/// A function's value or values, and their logarithms where a value may leave the range of a double.
struct Evaluated {
  std::vector<double> values;
  bool is_list = false;
  std::vector<double> log_values{};  ///< none, or one for each value
};

using EvalFunction = std::function<Evaluated(Inputs&)>;

using EvalFunctions = std::map<std::string, EvalFunction>;

/// All of them, by name.
const EvalFunctions& eval_functions();

/// The answer to one query {"id", "function", "inputs"}: {"id", "value"}, with "ln_value" where the value leaves
/// [1e-290, 1e290], or {"id", "refused"} with the reason.
nlohmann::json evaluate(const nlohmann::json& query);

}  // namespace dpbudget::tools
