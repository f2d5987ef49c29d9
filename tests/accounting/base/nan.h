/// @file
/// What is no number, for tests that hand it over.
#pragma once

#include <limits>

namespace dpbudget {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace dpbudget
