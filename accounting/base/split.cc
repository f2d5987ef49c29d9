#include "dpbudget/accounting/base/split.h"

#include <ranges>

namespace dpbudget {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const auto part : text | std::views::split(separator)) parts.emplace_back(part.begin(), part.end());
  if (parts.empty()) parts.push_back(text);
  return parts;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

}  // namespace dpbudget
