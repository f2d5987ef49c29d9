#include "dpbudget/accounting/base/read_number.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget {
namespace {

// Whether digits, other than 0 where the value is 0, were rounded out of the range of a double.
bool is_out_of_range(std::string_view digits, double value) {
  if (value == 0) return digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") != digits.npos;
  return std::isinf(value) && digits.find_first_of("0123456789") != digits.npos;
}

}  // namespace

LeadingNumber leading_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return {std::nullopt, 0};
  const auto length = static_cast<std::size_t>(end - text.data());
  if (is_out_of_range(text.substr(0, length), value)) return {std::nullopt, length};
  return {value, length};
}

std::optional<double> number_in(std::string_view text) {
  const auto [value, length] = leading_number(text);
  return length == text.size() ? value : std::nullopt;
}

std::optional<std::uint64_t> count_in(std::string_view text) {
  const std::optional<double> value = number_in(text);
  if (value == 0) return 0;
  if (!value || !(0 < *value && *value <= static_cast<double>(ranges::max_count))) return std::nullopt;
  // The double may have been rounded to an integer, and into the range: the digits decide.
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  std::string digits;
  for (const char c : mantissa)
    if (c != '.') digits += c;
  int exponent = 0;
  if (mantissa.size() < text.size()) {
    std::string_view after = text.substr(mantissa.size() + 1);
    if (after.starts_with('+')) after.remove_prefix(1);
    std::from_chars(after.data(), after.data() + after.size(), exponent);
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto whole = static_cast<std::ptrdiff_t>(point) + exponent;  // as many digits are before the point
  const auto last = static_cast<std::ptrdiff_t>(digits.find_last_not_of('0')) + 1;
  if (whole < last) return std::nullopt;
  digits.resize(static_cast<std::size_t>(whole), '0');
  std::uint64_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (count > ranges::max_count) return std::nullopt;
  return count;
}

double read_number(std::string_view name, std::string_view text) {
  const std::optional<double> value = number_in(text);
  if (!value) throw InvalidArgument(fmt::format("{} is {}, but must be a number that a double can hold", name, text));
  return *value;
}

std::uint64_t read_count(std::string_view name, std::string_view text) {
  read_number(name, text);
  const std::optional<std::uint64_t> count = count_in(text);
  if (!count) throw InvalidArgument(fmt::format("{} is {}, but must be an integer in [0, 2^53]", name, text));
  return *count;
}

}  // namespace dpbudget
