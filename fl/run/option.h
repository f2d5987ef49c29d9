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
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/range.h"

namespace dpbudget::fl {

struct Settings;

/// A value without its struct: a choice is its name.
using OptionValue = std::variant<double, std::uint64_t, std::string>;

/// What a person wrote of options, by their keys.
using GivenOptions = std::map<std::string, OptionValue, std::less<>>;

/// Beside which other values an option is read; it is refused, and left out of ledgers, beside the others.
template <class Struct>
struct Condition {
  bool (*holds)(const Struct&, const Settings&) = nullptr;  ///< null: always
  const char* text = "";                                    ///< in words: "with optimiser adam"
};

template <class Value>
struct OptionNumber {
  using Type = Value;
};
template <class Value>
struct OptionNumber<std::optional<Value>> {
  using Type = Value;
};

/// One member of a struct as an option. Its default is what the struct's own initialiser says; an empty optional has
/// none.
/// @tparam Value  double, std::uint64_t or an enumeration with Names; or a std::optional of one
template <class Struct, class Value>
struct Option {
  using Number = typename OptionNumber<Value>::Type;

  Value Struct::* member;
  const char* key;   ///< in ledgers and configuration files; on the command line, with - for _
  const char* text;  ///< one line of help, without the default
  Range<Number> range;
  Condition<Struct> condition = {};
  bool about_privacy = false;  ///< whether a plan may depend on it

  /// The same option of a struct derived from this one, read only where `when` holds.
  template <class Derived>
  constexpr Option<Derived, Value> only(Condition<Derived> when) const {
    return {member, key, text, range, when, about_privacy};
  }

  /// The same option, which plans depend on.
  constexpr Option for_plans() const { return {member, key, text, range, condition, true}; }
};

template <class Struct, class Value>
constexpr Option<Struct, Value> option(Value Struct::* member, const char* key, const char* text,
                                       std::type_identity_t<Range<typename OptionNumber<Value>::Type>> range = {},
                                       std::type_identity_t<Condition<Struct>> condition = {}) {
  return {member, key, text, range, condition};
}

enum class OptionType { real, count, choice };

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

/// @throws InvalidArgument naming key when `value` is of another type, or no name of `choices`
double real_of(std::string_view key, const OptionValue& value);
std::uint64_t count_of(std::string_view key, const OptionValue& value);
std::string_view choice_of(std::string_view key, const OptionValue& value,
                           const std::vector<std::string_view>& choices);

/// @throws InvalidArgument naming key
[[noreturn]] void refuse_option(std::string_view key, std::string_view taker, std::string_view when);
[[noreturn]] void refuse_range(std::string_view key, const OptionValue& value, const char* range);

template <class Struct, class Visit>
void for_each_option(const Visit& visit) {
  std::apply([&](const auto&... options) { (visit(options), ...); }, Struct::options());
}

template <class Number>
constexpr OptionType option_type() {
  if constexpr (std::same_as<Number, double>) return OptionType::real;
  if constexpr (std::same_as<Number, std::uint64_t>) return OptionType::count;
  return OptionType::choice;
}

template <class Number>
std::vector<std::string_view> option_choices() {
  std::vector<std::string_view> names;
  if constexpr (Named<Number>)
    for (const auto& [value, name] : Names<Number>::all) names.push_back(name);
  return names;
}

template <class Number>
Number number_from(std::string_view key, const OptionValue& value) {
  if constexpr (std::same_as<Number, double>)
    return real_of(key, value);
  else if constexpr (std::same_as<Number, std::uint64_t>)
    return count_of(key, value);
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
  else
    return OptionValue(value);
}

/// Takes from `given` what is an option of `options`, whose other values stay.
/// @param run    what all share; conditions may look at it
/// @param taker  whose options they are, for messages
/// @throws InvalidArgument naming the first that is of another type, not read beside the others, or out of range
template <class Struct>
void read_options(Struct& options, const GivenOptions& given, const Settings& run, std::string_view taker) {
  for_each_option<Struct>([&](const auto& option) {
    if (const auto found = given.find(option.key); found != given.end())
      options.*option.member =
          number_from<typename std::remove_cvref_t<decltype(option)>::Number>(option.key, found->second);
  });
  for_each_option<Struct>([&](const auto& option) {
    if (option.condition.holds != nullptr && !option.condition.holds(options, run)) {
      if (given.contains(option.key)) refuse_option(option.key, taker, option.condition.text);
      return;
    }
    const auto check = [&](const auto& number) {
      if (option.range.holds != nullptr && !option.range.holds(number))
        refuse_range(option.key, *option_value(number), option.range.text);
    };
    if constexpr (requires { (options.*option.member).has_value(); }) {
      if (options.*option.member) check(*(options.*option.member));
    } else {
      check(options.*option.member);
    }
  });
}

/// The values of `options` that are read, whoever gave them.
template <class Struct>
GivenOptions written_options(const Struct& options, const Settings& run) {
  GivenOptions written;
  for_each_option<Struct>([&](const auto& option) {
    if (option.condition.holds != nullptr && !option.condition.holds(options, run)) return;
    if (auto value = option_value(options.*option.member)) written.emplace(option.key, *std::move(value));
  });
  return written;
}

/// The options of `Struct` in the order of its list.
template <class Struct>
std::vector<OptionInfo> option_infos() {
  std::vector<OptionInfo> infos;
  const Struct usual;
  for_each_option<Struct>([&](const auto& option) {
    using Number = typename std::remove_cvref_t<decltype(option)>::Number;
    infos.push_back({option.key, option.text, option_type<Number>(), option_choices<Number>(), option.about_privacy,
                     option_value(usual.*option.member)});
  });
  return infos;
}

/// The values of an option list, whatever struct holds them.
class AnyOptions {
 public:
  virtual ~AnyOptions() = default;
};

/// The values in their struct; a cast finds each base of it too.
template <class Struct>
class HeldOptions final : public AnyOptions, public Struct {};

/// The options of a struct, for those who do not know it.
class OptionList {
 public:
  /// No options.
  OptionList() = default;

  /// @tparam Struct  default-constructible, with a static `options()` that returns a tuple of fl::option
  template <class Struct>
  static OptionList of() {
    OptionList list;
    list.infos_ = option_infos<Struct>();
    list.settled_ = [](const GivenOptions& given, const Settings& run, std::string_view taker) {
      auto held = std::make_shared<HeldOptions<Struct>>();
      read_options<Struct>(*held, given, run, taker);
      return held;
    };
    list.written_ = [](const AnyOptions& options, const Settings& run) {
      return written_options<Struct>(dynamic_cast<const HeldOptions<Struct>&>(options), run);
    };
    return list;
  }

  const std::vector<OptionInfo>& infos() const { return infos_; }

  /// Whether `key` is one of them.
  bool has(std::string_view key) const;

  /// The struct with what is given, the rest as it is by default. As read_options.
  std::shared_ptr<const AnyOptions> settled(const GivenOptions& given, const Settings& run,
                                            std::string_view taker) const;

  /// Its inverse, nothing left out that is read.
  /// @param options  what `settled` of this list returned
  GivenOptions written(const AnyOptions& options, const Settings& run) const;

 private:
  std::vector<OptionInfo> infos_;
  std::function<std::shared_ptr<const AnyOptions>(const GivenOptions&, const Settings&, std::string_view)> settled_;
  std::function<GivenOptions(const AnyOptions&, const Settings&)> written_;
};

}  // namespace dpbudget::fl
