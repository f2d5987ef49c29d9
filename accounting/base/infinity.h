/// @file
/// The infinite double.
#pragma once

#include <limits>

namespace dpbudget {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace dpbudget
