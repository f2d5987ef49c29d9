#include "dpbudget/fl/run/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

std::string text_of(const OptionValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

void refuse_value(std::string_view key, const OptionValue& value, std::string_view allowed) {
  throw InvalidArgument(fmt::format("{} is {}, but must be {}", key, text_of(value), allowed));
}

double real_of(std::string_view key, const OptionValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  refuse_value(key, value, "a number");
}

std::uint64_t count_of(std::string_view key, const OptionValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
  refuse_value(key, value, "an integer of at least 0");
}

std::string_view written_of(std::string_view key, const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  refuse_value(key, value, "a text");
}

std::string_view choice_of(std::string_view key, const OptionValue& value,
                           const std::vector<std::string_view>& choices) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr || std::ranges::find(choices, *name) == choices.end())
    refuse_value(key, value, fmt::format("one of {}", fmt::join(choices, ", ")));
  return *name;
}

}  // namespace dpbudget::fl
