/// @file
/// What a query gives a reference function.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/tools/cli/eval/parameter.h"

namespace dpbudget::tools {

/// The inputs of one query, by the names of a function's parameters or their aliases. Each is asked for by its
/// parameter's name; what nobody asked for is refused.
class Inputs {
 public:
  /// @param parameters  all that will be asked for
  /// @throws InvalidArgument unless `inputs` is a JSON object that names no parameter twice
  Inputs(const nlohmann::json& inputs, std::span<const Parameter> parameters);

  /// @throws InvalidArgument naming an input that no parameter has, with the nearest that one has
  void check_names() const;

  /// @throws InvalidArgument when the input is missing or no number; the strings "inf" and "nan" are numbers
  double number(std::string_view name);
  double number_or(std::string_view name, double fallback);
  bool has(std::string_view name) const;

  /// @throws InvalidArgument when the input is missing or no integer in [0, 2^53]
  std::uint64_t count(std::string_view name);

  /// @throws InvalidArgument when the input is missing or no list of numbers
  std::vector<double> numbers(std::string_view name);

  /// @throws InvalidArgument when the input is missing or no string
  std::string text(std::string_view name);

  /// Whether the input was asked for.
  bool is_asked(std::string_view name) const;

  /// @throws InvalidArgument naming an input that was not asked for
  void done() const;

  /// A refusal that begins with what the library calls a parameter, by the name under which it was given.
  std::string named_as_given(const std::string& refusal) const;

 private:
  // Of a parameter, or nothing.
  const nlohmann::json* find(std::string_view name) const;
  const Parameter& parameter(std::string_view name) const;
  const nlohmann::json& at(std::string_view name);
  std::string given_name(const Parameter& parameter) const;

  const nlohmann::json& inputs_;
  std::span<const Parameter> parameters_;
  std::vector<std::string_view> asked_;
};

}  // namespace dpbudget::tools
