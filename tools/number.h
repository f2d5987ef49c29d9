/// @file
/// Numbers as they come from a command line, and as they go to a reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpbudget::tools {

/// @throws InvalidArgument naming `name` when `text` is not a number that a double can hold
double read_number(std::string_view name, std::string_view text);

/// @throws InvalidArgument naming `name` when `text` is not an integer in [0, 2^53]
std::uint64_t read_count(std::string_view name, std::string_view text);

/// `value` with six significant digits, rounded up: an upper bound stays one when it is printed.
std::string rounded_up(double value);

/// e^log_value with six significant digits, rounded up, for values that a double may not hold.
std::string rounded_up_exp(double log_value);

/// The same rounded down, for lower bounds.
std::string rounded_down(double value);
std::string rounded_down_exp(double log_value);

/// `value` with thousands separated by commas.
std::string grouped(std::uint64_t value);

}  // namespace dpbudget::tools
