#include "dpbudget/tools/cli/output/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dpbudget::tools {
namespace {

constexpr std::size_t line_width = 100;

}  // namespace

std::string table(const std::vector<Row>& rows, const std::vector<std::size_t>& right) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const bool flush_right = std::ranges::find(right, i) != right.end();
      line += flush_right ? fmt::format("{:>{}}", rows[r][i], widths[i]) : fmt::format("{:<{}}", rows[r][i], widths[i]);
      if (i + 1 < rows[r].size()) line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r == 0) {
      std::size_t total = 2 * (widths.size() - 1);
      for (const std::size_t width : widths) total += width;
      text += std::string(total, '-') + "\n";
    }
  }
  return text;
}

std::string field(std::string_view name, std::string_view text, std::size_t name_width) {
  std::string result;
  std::string line = fmt::format("{:<{}}", name, name_width);
  std::istringstream words{std::string(text)};
  std::string word;
  bool empty = true;
  while (words >> word) {
    if (!empty && line.size() + 1 + word.size() > line_width) {
      result += line + "\n";
      line = std::string(name_width, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return result + line + "\n";
}

}  // namespace dpbudget::tools
