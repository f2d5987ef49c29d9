/// @file
/// Text that is a list.
#pragma once

#include <string_view>
#include <vector>

namespace dpbudget {

/// What stands between the separators: one part more than there are of them, each as it is, empty ones too.
/// @return views of `text`
std::vector<std::string_view> split(std::string_view text, char separator);

/// Without the blanks, tabs and line ends before and after it.
std::string_view trimmed(std::string_view text);

}  // namespace dpbudget
