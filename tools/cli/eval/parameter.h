/// @file
/// What a reference function says of each of its parameters.
#pragma once

#include <array>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "dpbudget/accounting/base/names.h"

namespace dpbudget::tools {

enum class ParameterType { number, integer, numbers, text };

/// An interval of numbers.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool has_low = false;   ///< whether `low` is in it
  bool has_high = false;  ///< whether `high` is in it
};

namespace range {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr Range open(double low, double high) { return {low, high, false, false}; }
constexpr Range closed(double low, double high) { return {low, high, true, true}; }
constexpr Range without_low(double low, double high) { return {low, high, false, true}; }
constexpr Range without_high(double low, double high) { return {low, high, true, false}; }

inline constexpr Range finite = open(-infinity, infinity);
inline constexpr Range positive = open(0, infinity);
inline constexpr Range not_negative = without_high(0, infinity);
inline constexpr Range at_least_1 = without_high(1, infinity);
inline constexpr Range probability = closed(0, 1);
inline constexpr Range positive_rate = without_low(0, 1);
inline constexpr Range inside_0_1 = open(0, 1);
inline constexpr Range counts = closed(1, 0x1p53);
inline constexpr Range counts_from_0 = closed(0, 0x1p53);

}  // namespace range

/// A few words, of which those that are empty count for nothing.
using Words = std::array<std::string_view, 4>;

/// One parameter. Its range is what the function checks, told: the function's check is the authority.
struct Parameter {
  std::string_view name;
  std::string_view meaning;
  std::string_view unit = "1";  ///< 1 of a pure number
  ParameterType type = ParameterType::number;
  Range range{};                    ///< of the number, or of each in a list
  Words choices{};                  ///< all that it may be, in the place of a range
  std::string_view condition = "";  ///< what it must be besides, mostly given the others
  std::string_view left_out = "";   ///< what it then is; empty where it must be given
  Words aliases{};                  ///< names that are accepted as well
  Words library_names{};            ///< what refusals of the library call it

  constexpr bool is_optional() const { return !left_out.empty(); }

  // The same with one thing changed.

  constexpr Parameter within(Range another) const {
    Parameter changed = *this;
    changed.range = another;
    return changed;
  }
  constexpr Parameter counting(Range another) const {
    Parameter changed = within(another);
    changed.type = ParameterType::integer;
    return changed;
  }
  constexpr Parameter saying(std::string_view text) const {
    Parameter changed = *this;
    changed.meaning = text;
    return changed;
  }
  constexpr Parameter under(std::string_view text) const {
    Parameter changed = *this;
    changed.condition = text;
    return changed;
  }
  constexpr Parameter optional(std::string_view text) const {
    Parameter changed = *this;
    changed.left_out = text;
    return changed;
  }
  constexpr Parameter required() const { return optional(""); }
};

/// "an integer in [2, 2^20]", "each in [0, 1]", "remove or add", and the condition.
std::string range_text(const Parameter& parameter);

/// {name, meaning, unit, type, range, optional, aliases}: range has its text, its ends and whether they belong to it,
/// or the choices.
nlohmann::json parameter_json(const Parameter& parameter);

}  // namespace dpbudget::tools

namespace dpbudget {

template <>
struct Names<tools::ParameterType> {
  static constexpr NameTable<tools::ParameterType, 4> all{{{tools::ParameterType::number, "number"},
                                                           {tools::ParameterType::integer, "integer"},
                                                           {tools::ParameterType::numbers, "list of numbers"},
                                                           {tools::ParameterType::text, "text"}}};
};

}  // namespace dpbudget
