#include "dpbudget/tools/cli/options/help.h"

#include <sstream>
#include <string_view>
#include <utility>

#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  // The library ends one group and begins the next with an empty line each.
  constexpr std::string_view two_empty_lines = "\n\n\n";
  for (std::size_t at = text.find(two_empty_lines); at != std::string::npos; at = text.find(two_empty_lines, at))
    text.erase(at, 1);
  return text;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  std::string text = "\n" + field("", group + ":", 0);
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
  const std::string description = make_option_desc(option);
  if (name.size() < column_width_) return field(name, description, column_width_);
  return name + "\n" + field("", description, column_width_);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::istringstream lines(app->get_footer());
  std::string text;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += field("", paragraph, 0);
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += line + " ";
      continue;
    }
    end_paragraph();
    text += line + "\n";
  }
  end_paragraph();
  return text;
}

}  // namespace dpbudget::tools
