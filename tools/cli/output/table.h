/// @file
/// Tables for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpbudget::tools {

/// Where the text of a field starts.
inline constexpr std::size_t default_name_width = 13;

using Row = std::vector<std::string>;

/// Columns as wide as their longest cell, two spaces apart; under the first row, the heading, a rule. Cells of columns
/// named in `right` (by index) are set flush right.
std::string table(const std::vector<Row>& rows, const std::vector<std::size_t>& right = {});

/// "name   text" with the text from a common column on, broken between words so that no line exceeds 100 characters
/// where a word allows it.
/// @param name_width  where the text starts
std::string field(std::string_view name, std::string_view text, std::size_t name_width = default_name_width);

}  // namespace dpbudget::tools
