#include <fmt/format.h>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <string>

#include "dpbudget/tools/cli/page/renderings.h"

namespace dpbudget::tools {
namespace {

constexpr std::string_view style = R"(
  :root { color-scheme: light; }
  body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 62rem; margin: 2rem auto;
         padding: 0 1.2rem; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin-bottom: .2rem; }
  h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #d5d5d5; padding-bottom: .15rem; }
  p.purpose { color: #555; margin-top: 0; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #ececec;
           overflow-wrap: anywhere; }
  div.wide th, div.wide td { overflow-wrap: break-word; }
  td:first-child, th:first-child { white-space: nowrap; }
  th { font-weight: 600; color: #555; font-size: .9rem; }
  table.answer { background: #eef4ee; border-left: 5px solid #3d8b37; }
  table.answer td { padding: .45rem .9rem; border-bottom: 1px solid #dce8dc; }
  table.answer td:first-child { font-weight: 600; }
  pre { background: #f5f5f5; padding: .8rem 1rem; overflow-x: auto; font: 13px/1.45 ui-monospace, monospace; }
  pre.command { white-space: pre-wrap; }
  table.versions { width: auto; } table.versions td { padding-right: 3rem; }
  img { max-width: 100%; height: auto; border: 1px solid #ececec; }
  figure { margin: 0; } figcaption { color: #555; font-size: .9rem; margin-top: .4rem; }
  ul, ol { padding-left: 1.3rem; } li { margin: .25rem 0; }
  div.wide { overflow-x: auto; }
  @media print { body { margin: 0; max-width: none; font-size: 11pt; } pre { white-space: pre-wrap; } }
)";

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string in_base64(std::string bytes) {
  namespace iterators = boost::archive::iterators;
  using Encoded = iterators::base64_from_binary<iterators::transform_width<std::string::const_iterator, 6, 8>>;
  // The iterators read bytes in threes: those that are missing are encoded as zeros, and then called missing.
  const std::size_t missing = (3 - bytes.size() % 3) % 3;
  bytes.append(missing, '\0');
  std::string text(Encoded(bytes.cbegin()), Encoded(bytes.cend()));
  return text.replace(text.size() - missing, missing, missing, '=');
}

std::string html_table(const std::vector<Row>& rows) {
  std::string text = "<div class=\"wide\"><table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view cell_name = i == 0 ? "th" : "td";
    text += "<tr>";
    for (const std::string& cell : rows[i]) text += fmt::format("<{0}>{1}</{0}>", cell_name, html_text(cell));
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string html_entries(std::string_view kind, const std::vector<Entry>& all) {
  std::string text = fmt::format("<table class=\"{}\">\n", kind);
  for (const auto& [name, meaning] : all)
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", html_text(name), html_text(meaning));
  return text + "</table>\n";
}

std::string html_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("<li>{}</li>\n", html_text(item));
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

std::string figure_of(const PageFigure& figure) {
  if (figure.svg.empty())
    return fmt::format("<p>No picture, since gnuplot, which draws them, is not installed. {}</p>\n{}",
                       rounding_of_points, html_table(points_of(figure.plot)));
  return fmt::format("<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{1}\"></figure>\n",
                     html_text(figure.caption), in_base64(figure.svg));
}

}  // namespace

std::string html_of(const PageContent& page) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>dpbudget {0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>dpbudget {0}</h1>\n<p class=\"purpose\">{2}</p>\n",
      html_text(page.command), style, html_text(page.purpose));
  const auto section = [&](std::string_view heading, const std::string& body) {
    if (!body.empty()) text += fmt::format("<h2>{}</h2>\n{}", html_text(heading), body);
  };
  section("What was asked", fmt::format("<pre class=\"command\">{}</pre>\n", html_text(page.command_line)));
  if (!page.answers.empty()) section("The answer", html_entries("answer", page.answers));
  for (const PageFigure& figure : page.figures) section(figure.caption, figure_of(figure));
  section("How to read it", html_list(reading_aids(page)));
  if (!page.assumptions.empty()) section("What is assumed", html_entries("assumed", page.assumptions));
  section("By which theorems", html_list(page.theorems));
  section("Notes", html_list(page.notes));
  for (const PageTable& table : page.tables) section(table.heading, html_table(table.rows));
  std::string references;
  for (const auto& [reference, link] : references_of(page))
    references += fmt::format("<li>{} <a href=\"{}\">{}</a></li>\n", html_text(reference), link, html_text(link));
  section("References", references.empty() ? references : "<ul>\n" + references + "</ul>\n");
  section("What was printed", fmt::format("<pre>{}</pre>\n", html_text(page.printed)));
  section("Versions", html_entries("versions", versions()));
  return text + "</body>\n</html>\n";
}

}  // namespace dpbudget::tools
