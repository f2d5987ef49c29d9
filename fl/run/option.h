/// @file
/// Options: values that one part of a run alone reads, an algorithm, a mechanism or a way to clip. The struct that
/// holds them lists them once, and command line, configuration, ledger and checks read that list.
///
///     struct SignOptions {
///       double decay = 0;
///       static auto options() {
///         return std::tuple(option(&SignOptions::decay, "decay", "weight of the last direction", range::share));
///       }
///     };
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/range.h"

namespace dpbudget::fl {

struct Settings;

/// A value without its struct: a choice is its name, and what is Textual its text.
using OptionValue = std::variant<double, std::uint64_t, std::string>;

/// Beside which other values an option is read; it is refused, and left out of ledgers, beside the others.
template <class Struct>
struct Condition {
  bool (*holds)(const Struct&, const Settings&) = nullptr;  ///< null: always
  const char* text = "";                                    ///< in words: "with optimiser adam"
};

/// The number of an option, itself or optional.
template <class Value>
struct OptionNumber {
  using Type = Value;
};
/// The number where one is given.
template <class Value>
struct OptionNumber<std::optional<Value>> {
  using Type = Value;
};

/// A value that people write as a text of its own: a schedule.
template <class Value>
concept Textual = requires(const Value value, std::string_view text) {
  { Value::from_text(text, text) } -> std::same_as<Value>;
  { value.text() } -> std::same_as<std::string>;
};

/// One member of a struct as an option. Its default is what the struct's own initialiser says; an empty optional has
/// none.
/// @tparam Value  double, std::uint64_t, an enumeration with Names or a Textual type; or a std::optional of one
template <class Struct, class Value>
struct Option {
  using Number = typename OptionNumber<Value>::Type;

  Value Struct::* member;
  const char* key;   ///< in ledgers and configuration files; on the command line, with - for _
  const char* text;  ///< one line of help, without the default
  Range<Number> range;
  Condition<Struct> condition = {};
  bool about_privacy = false;  ///< whether a plan may depend on it

  /// Whether it is read beside the other values.
  bool is_read(const Struct& options, const Settings& run) const {
    return condition.holds == nullptr || condition.holds(options, run);
  }

  /// The same option of a struct derived from this one, read only where `when` holds.
  template <class Derived>
  constexpr Option<Derived, Value> only(Condition<Derived> when) const {
    return {member, key, text, range, when, about_privacy};
  }

  /// The same option, which plans depend on.
  constexpr Option for_plans() const { return {member, key, text, range, condition, true}; }
};

/// An option for a member of a struct.
template <class Struct, class Value>
constexpr Option<Struct, Value> option(Value Struct::* member, const char* key, const char* text,
                                       std::type_identity_t<Range<typename OptionNumber<Value>::Type>> range = {},
                                       std::type_identity_t<Condition<Struct>> condition = {}) {
  return {member, key, text, range, condition};
}

/// What an option's value is written as.
enum class OptionType { real, count, choice, text };

/// What is known of an option without its struct.
struct OptionInfo {
  std::string key;
  std::string text;
  OptionType type = OptionType::real;
  std::vector<std::string_view> choices = {};       ///< of a choice: the names
  bool about_privacy = false;                       ///< whether a plan may depend on it
  std::optional<OptionValue> usual = std::nullopt;  ///< its default
  friend bool operator==(const OptionInfo&, const OptionInfo&) = default;
};

/// The value's text, for messages and help.
std::string text_of(const OptionValue& value);

/// @throws InvalidArgument "momentum is 2, but must be in [0, 1)"
[[noreturn]] void refuse_value(std::string_view key, const OptionValue& value, std::string_view allowed);

/// @throws InvalidArgument naming key when `value` is of another type, or no name of `choices`
double real_of(std::string_view key, const OptionValue& value);
/// As `real_of`.
std::uint64_t count_of(std::string_view key, const OptionValue& value);
/// As `real_of`.
std::string_view written_of(std::string_view key, const OptionValue& value);
/// As `real_of`.
std::string_view choice_of(std::string_view key, const OptionValue& value,
                           const std::vector<std::string_view>& choices);

/// What values of a member's type are written as.
template <class Number>
constexpr OptionType option_type() {
  if constexpr (std::same_as<Number, double>) return OptionType::real;
  if constexpr (std::same_as<Number, std::uint64_t>) return OptionType::count;
  if constexpr (Textual<Number>) return OptionType::text;
  return OptionType::choice;
}

/// The names of an enumeration; none for a number.
template <class Number>
std::vector<std::string_view> option_choices() {
  std::vector<std::string_view> names;
  if constexpr (Named<Number>)
    for (const auto& [value, name] : Names<Number>::all) names.push_back(name);
  return names;
}

/// @throws as real_of, count_of, written_of, choice_of and from_text
template <class Number>
Number number_from(std::string_view key, const OptionValue& value) {
  if constexpr (std::same_as<Number, double>)
    return real_of(key, value);
  else if constexpr (std::same_as<Number, std::uint64_t>)
    return count_of(key, value);
  else if constexpr (Textual<Number>)
    return Number::from_text(key, written_of(key, value));
  else
    return *choice_named<Number>(choice_of(key, value, option_choices<Number>()));
}

/// @return nothing for an empty optional
template <class Value>
std::optional<OptionValue> option_value(const Value& value) {
  if constexpr (requires { value.has_value(); })
    return value ? option_value(*value) : std::nullopt;
  else if constexpr (Named<Value>)
    return std::string(to_string(value));
  else if constexpr (Textual<Value>)
    return value.text();
  else
    return OptionValue(value);
}

}  // namespace dpbudget::fl
