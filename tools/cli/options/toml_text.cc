#include "dpbudget/tools/cli/options/toml_text.h"

namespace dpbudget::tools {
namespace {

// Of one line, or npos: behind the text that begins at `start`.
std::size_t end_of_text(std::string_view line, std::size_t start) {
  const char quote = line[start];
  for (std::size_t i = start + 1; i < line.size(); ++i) {
    if (line[i] == quote) return i + 1;
    if (line[i] == '\\' && quote == '"') ++i;
  }
  return std::string_view::npos;
}

std::optional<TomlFlaw> flaw_of_line(std::string_view line) {
  for (std::size_t i = 0; i < line.size() && line[i] != '#';) {
    if (static_cast<unsigned char>(line[i]) > 127)
      return TomlFlaw{1, i + 1, "a character beyond ASCII may stand in texts and comments only"};
    if (line.substr(i, 3) == R"(""")" || line.substr(i, 3) == "'''")
      return TomlFlaw{1, i + 1, "a text of several lines is nothing's value here"};
    const bool is_text = line[i] == '"' || line[i] == '\'';
    i = is_text ? end_of_text(line, i) : i + 1;
  }
  return std::nullopt;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::optional<TomlFlaw> first_flaw(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (auto flaw = flaw_of_line(text.substr(0, end))) {
      flaw->line = number;
      return flaw;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::nullopt;
}

}  // namespace dpbudget::tools
