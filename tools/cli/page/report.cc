#include "dpbudget/tools/cli/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/tools/cli/page/renderings.h"

namespace dpbudget::tools {
namespace {

namespace fs = std::filesystem;

bool is_plain(char c) {
  constexpr std::string_view marks = "-_./,:=@+%";
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || marks.find(c) != marks.npos;
}

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool is_html(const std::string& file) { return fs::path(file).extension() == ".html"; }

// Whatever in the text of an option may be the name of a file: all of it, what follows an @ or a colon, and each part
// of a list. A plan may be longer than any name of a file.
std::vector<std::string> possible_files(std::string_view text) {
  constexpr std::size_t longest = 4096;
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty() && name.size() <= longest) names.emplace_back(name);
  };
  add(text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && std::string_view("@:,=").find(text[i]) == std::string_view::npos) continue;
    add(text.substr(begin, i - begin));
    add(text.substr(begin));
    begin = i + 1;
  }
  return names;
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  if (fs::equivalent(a, b, failure)) return true;
  return fs::weakly_canonical(fs::absolute(a, failure), failure) ==
         fs::weakly_canonical(fs::absolute(b, failure), failure);
}

void check_report_file(const std::string& file, const NamedFiles& named) {
  const std::string extension = fs::path(file).extension().string();
  if (extension != ".html" && extension != ".md")
    throw InvalidArgument(fmt::format("--report is {}, but must end in .html or .md", file));
  for (const auto& [option, text] : named)
    for (const std::string& name : possible_files(text))
      if (is_same(name, file) || is_same(name, part_of(file)))
        throw InvalidArgument(fmt::format("--report is {}, but {} names the same file", file, option));
  check_output_files({{"--report", file}});
}

}  // namespace

std::string shell_text(int argc, const char* const* argv) {
  constexpr std::size_t widest = 96;
  std::string text = "dpbudget";
  std::size_t begin = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = shell_word(argv[i]);
    if (text.size() - begin + 1 + word.size() > widest) {
      text += " \\\n";
      begin = text.size();
      text += "   ";
    }
    text += " " + word;
  }
  return text;
}

Recording::Recording(Report& report, std::string_view command, std::string_view purpose, const NamedFiles& named)
    : report_(report), standard_output_(std::cout.rdbuf()), both_(*standard_output_, kept_) {
  check_report_file(report.file, named);
  report.page.begin(command, purpose, report.command_line);
  std::cout.rdbuf(&both_);
}

Recording::~Recording() { std::cout.rdbuf(standard_output_); }

void Recording::finish() {
  report_.page.set_printed(kept_.str());
  const PageContent& content = report_.page.content();
  const std::string text = is_html(report_.file) ? html_of(content) : markdown_of(content);
  if (!replace_file(report_.file, {text}))
    throw CannotWrite(fmt::format("--report {} could not be written", report_.file));
}

Recording::Both::int_type Recording::Both::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  second_.sputc(c);
  return first_.sputc(c);
}

std::streamsize Recording::Both::xsputn(const char* text, std::streamsize size) {
  second_.sputn(text, size);
  return first_.sputn(text, size);
}

}  // namespace dpbudget::tools
