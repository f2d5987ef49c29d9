/// @file
/// What a mistyped name was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dpbudget {

/// Of `known`, the one that takes the fewest insertions, deletions and replacements of letters to become `name`.
/// @param known  one at least
std::string_view nearest(std::string_view name, std::span<const std::string> known);

/// All of them and the nearest, for a message: "a, b, c; the nearest is b".
/// @param known  one at least
std::string choices_for(std::string_view name, std::span<const std::string_view> known);

}  // namespace dpbudget
