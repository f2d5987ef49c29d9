#include "dpbudget/fl/run/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

[[noreturn]] void refuse(std::string_view key, const OptionValue& value, std::string_view allowed) {
  throw InvalidArgument(fmt::format("{} is {}, but must be {}", key, text_of(value), allowed));
}

}  // namespace

std::string text_of(const OptionValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

double real_of(std::string_view key, const OptionValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  refuse(key, value, "a number");
}

std::uint64_t count_of(std::string_view key, const OptionValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
  refuse(key, value, "an integer of at least 0");
}

std::string_view choice_of(std::string_view key, const OptionValue& value,
                           const std::vector<std::string_view>& choices) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr || std::ranges::find(choices, *name) == choices.end())
    refuse(key, value, fmt::format("one of {}", fmt::join(choices, ", ")));
  return *name;
}

void refuse_option(std::string_view key, std::string_view taker, std::string_view when) {
  throw InvalidArgument(fmt::format("{} is given, but {} takes it only {}", key, taker, when));
}

void refuse_range(std::string_view key, const OptionValue& value, const char* range) { refuse(key, value, range); }

bool OptionList::has(std::string_view key) const {
  return std::ranges::find(infos_, key, &OptionInfo::key) != infos_.end();
}

std::shared_ptr<const AnyOptions> OptionList::settled(const GivenOptions& given, const Settings& run,
                                                      std::string_view taker) const {
  return settled_ ? settled_(given, run, taker) : std::make_shared<AnyOptions>();
}

GivenOptions OptionList::written(const AnyOptions& options, const Settings& run) const {
  return written_ ? written_(options, run) : GivenOptions();
}

}  // namespace dpbudget::fl
