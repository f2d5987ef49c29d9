/// @file
/// Numbers as text has them.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace dpbudget {

/// A number in decimal at the beginning of a text.
struct LeadingNumber {
  std::optional<double> value;  ///< to the nearest double; nothing where it overflows or underflows one
  std::size_t length;           ///< of the number's text; 0 where the text begins with no number
};

/// The longest number that `text` begins with, without spaces or a sign +; inf and nan are numbers. The same under
/// every locale and with every standard library.
LeadingNumber leading_number(std::string_view text);

/// @return the number that all of `text` is, in decimal and without spaces; inf and nan are numbers, what overflows or
/// underflows a double is none
std::optional<double> number_in(std::string_view text);

/// @return the integer that all of `text` is, in digits of `base` alone, after a sign - where the type has one; nothing
/// when it is none or the type cannot hold it
template <std::integral Integer>
std::optional<Integer> integer_in(std::string_view text, int base = 10) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// @return the integer in [0, 2^53] that all of `text` is, also written as 2.0 or 2e6, by every digit of it; nothing
/// when it is none
std::optional<std::uint64_t> count_in(std::string_view text);

/// @throws InvalidArgument naming `name` when `text` is not a number that a double can hold
double read_number(std::string_view name, std::string_view text);

/// @throws InvalidArgument naming `name` when `text` is not an integer in [0, 2^53]
std::uint64_t read_count(std::string_view name, std::string_view text);

}  // namespace dpbudget
