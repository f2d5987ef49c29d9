/// @file
/// Numbers as they go to a reader.
#pragma once

#include <cstdint>
#include <string>

namespace dpbudget::tools {

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
