#include <fmt/format.h>

#include <string>

#include "dpbudget/tools/cli/page/renderings.h"

namespace dpbudget::tools {
namespace {

// In a table a bar ends the cell; elsewhere these open emphasis, code, links and tags.
std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string markdown_table(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += '|';
    for (const std::string& cell : rows[i]) text += fmt::format(" {} |", markdown_text(cell));
    text += '\n';
    if (i > 0) continue;
    text += '|';
    for (std::size_t j = 0; j < rows[i].size(); ++j) text += " --- |";
    text += '\n';
  }
  return text;
}

std::string markdown_entries(std::string_view name, std::string_view meaning, const std::vector<Entry>& all) {
  std::vector<Row> rows{{std::string(name), std::string(meaning)}};
  for (const auto& [key, text] : all) rows.push_back({key, text});
  return markdown_table(rows);
}

std::string markdown_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("- {}\n", markdown_text(item));
  return text;
}

// Indented, so that nothing in it can end it.
std::string listing(std::string_view text) {
  std::string result = "    ";
  for (const char c : text) result += c == '\n' ? std::string("\n    ") : std::string(1, c);
  while (!result.empty() && (result.back() == ' ' || result.back() == '\n')) result.pop_back();
  return result + "\n";
}

}  // namespace

std::string markdown_of(const PageContent& page) {
  std::string text = fmt::format("# dpbudget {}: {}\n", page.command, markdown_text(page.purpose));
  const auto section = [&](std::string_view heading, const std::string& body) {
    if (!body.empty()) text += fmt::format("\n## {}\n\n{}", heading, body);
  };
  section("What was asked", listing(page.command_line));
  if (!page.answers.empty()) section("The answer", markdown_entries("of", "is", page.answers));
  section("How to read it", markdown_list(reading_aids(page)));
  if (!page.assumptions.empty()) section("What is assumed", markdown_entries("of", "it is assumed", page.assumptions));
  section("By which theorems", markdown_list(page.theorems));
  section("Notes", markdown_list(page.notes));
  for (const PageTable& table : page.tables) section(markdown_text(table.heading), markdown_table(table.rows));
  for (const PageFigure& figure : page.figures)
    section(markdown_text(figure.caption),
            fmt::format("{}\n\n{}", rounding_of_points, markdown_table(points_of(figure.plot))));
  std::string references;
  for (const auto& [reference, link] : references_of(page))
    references += fmt::format("- {} <{}>\n", markdown_text(reference), link);
  section("References", references);
  section("What was printed", listing(page.printed));
  section("Versions", markdown_entries("of", "version", versions()));
  return text;
}

}  // namespace dpbudget::tools
