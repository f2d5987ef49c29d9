/// @file
/// Numbers as text has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dpbudget {

/// @return the number that all of `text` is, in decimal and without spaces; inf and nan are numbers, what overflows or
/// underflows a double is none
std::optional<double> number_in(std::string_view text);

/// @return the integer in [0, 2^53] that all of `text` is, also written as 2.0 or 2e6, by every digit of it; nothing
/// when it is none
std::optional<std::uint64_t> count_in(std::string_view text);

/// @throws InvalidArgument naming `name` when `text` is not a number that a double can hold
double read_number(std::string_view name, std::string_view text);

/// @throws InvalidArgument naming `name` when `text` is not an integer in [0, 2^53]
std::uint64_t read_count(std::string_view name, std::string_view text);

}  // namespace dpbudget
