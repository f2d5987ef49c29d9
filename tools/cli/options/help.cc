#include "dpbudget/tools/cli/options/help.h"

#include <sstream>

#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {

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
