/// @file
/// What an accountant may be called, for messages.
#pragma once

#include <string>
#include <string_view>

namespace dpbudget {

/// All names, and the one nearest to `given`: "a, b, c; the nearest is b".
std::string accountant_choices(std::string_view given);

}  // namespace dpbudget
