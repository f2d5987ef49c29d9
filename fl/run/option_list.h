/// @file
/// All options of a struct (option.h) at once: read, checked, written and described, with its type and without.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/fl/run/option.h"

namespace dpbudget::fl {

/// What a person wrote of options, by their keys.
using GivenOptions = std::map<std::string, OptionValue, std::less<>>;

/// @throws InvalidArgument "momentum is given, but prifedsync takes it only with optimiser adam"
[[noreturn]] void refuse_idle(std::string_view key, std::string_view taker, std::string_view when);

/// Calls visit(option) for each option that the struct lists.
template <class Struct, class Visit>
void for_each_option(const Visit& visit) {
  std::apply([&](const auto&... options) { (visit(options), ...); }, Struct::options());
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
    if (!option.is_read(options, run)) {
      if (given.contains(option.key)) refuse_idle(option.key, taker, option.condition.text);
      return;
    }
    const auto check = [&](const auto& number) {
      if (option.range.holds != nullptr && !option.range.holds(number))
        refuse_value(option.key, *option_value(number), option.range.text);
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
    if (!option.is_read(options, run)) return;
    if (auto value = option_value(options.*option.member)) written.emplace(option.key, *std::move(value));
  });
  return written;
}

/// The options of `Struct` in the order of its list.
template <class Struct>
std::vector<OptionInfo> option_infos() {
  std::vector<OptionInfo> infos;
  const Struct usual{};
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
