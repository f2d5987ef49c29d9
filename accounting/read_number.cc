#include "dpbudget/accounting/read_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget {

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

double read_number(std::string_view name, std::string_view text) {
  const std::optional<double> value = number_in(text);
  if (!value) throw InvalidArgument(fmt::format("{} is {}, but must be a number that a double can hold", name, text));
  return *value;
}

std::uint64_t read_count(std::string_view name, std::string_view text) {
  // Digits alone are read as they are: a double would round what is just out of range into it.
  std::uint64_t digits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const bool is_digits = error == std::errc() && end == text.data() + text.size();
  const double value = is_digits && digits > ranges::max_count ? -1 : read_number(name, text);
  if (!(0 <= value && value <= static_cast<double>(ranges::max_count) && value == std::floor(value)))
    throw InvalidArgument(fmt::format("{} is {}, but must be an integer in [0, 2^53]", name, text));
  return static_cast<std::uint64_t>(value);
}

}  // namespace dpbudget
