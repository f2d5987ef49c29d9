/// @file
/// Characters of UTF-8 text, for messages that quote what was given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpbudget {

/// The character that begins at byte `at`: whole, or as a backslash and its code where it is a control character or no
/// UTF-8.
/// @param at  less than the size of `text`
std::string shown_character(std::string_view text, std::size_t at);

/// How many characters `text` holds, a byte that is no UTF-8 counting as one.
std::size_t character_count(std::string_view text);

}  // namespace dpbudget
