#include "dpbudget/fl/data/csv_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dpbudget::fl {
namespace {

// The libraries that Debian packages do not fit: libcsv calls back per field and per record without a line number,
// which quoted line breaks keep its user from counting; fast-cpp-csv-parser (a snapshot of 2016) wants the columns at
// compile time and no line break inside quotes; Boost's escaped_list_separator escapes by backslash, which RFC 4180
// does not.
class Parser {
 public:
  explicit Parser(ByteFile& file) : file_(file) {
    const ByteFile::Bytes bytes = file.take_rest();
    text_.assign(bytes.begin(), bytes.end());
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  }

  bool at_end() const { return at_ == text_.size(); }

  CsvRecord record() {
    CsvRecord record{line_, {}};
    do {
      record.fields.push_back(starts('"') ? quoted() : unquoted());
    } while (skip(','));
    if (!at_end() && !skip('\n')) {
      ++at_;  // what else ends a field is a carriage return
      if (!skip('\n')) fail("a carriage return without a line feed");
    }
    ++line_;
    return record;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { file_.fail(fmt::format("line {}: {}", line_, reason)); }

  bool starts(char character) const { return !at_end() && text_[at_] == character; }

  bool skip(char character) {
    const bool there = starts(character);
    if (there) ++at_;
    return there;
  }

  std::string unquoted() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(",\r\n\"", begin), text_.size());
    if (starts('"')) fail("a quote inside a field that does not begin with one");
    return text_.substr(begin, at_ - begin);
  }

  std::string quoted() {
    const std::uint64_t opened = line_;
    std::string field;
    ++at_;
    while (true) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string::npos) file_.fail(fmt::format("line {}: a quote that is not closed", opened));
      field.append(text_, at_, quote - at_);
      at_ = quote + 1;
      if (!skip('"')) break;
      field += '"';
    }
    line_ += static_cast<std::uint64_t>(std::ranges::count(field, '\n'));
    if (!at_end() && !starts(',') && !starts('\r') && !starts('\n')) fail("text after a closing quote");
    return field;
  }

  ByteFile& file_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

std::vector<CsvRecord> read_csv_records(ByteFile& file) {
  Parser parser(file);
  std::vector<CsvRecord> records;
  while (!parser.at_end()) records.push_back(parser.record());
  return records;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown = "\"";
  std::ranges::transform(text.substr(0, longest), std::back_inserter(shown),
                         [](char c) { return ' ' <= c && c <= '~' ? c : '?'; });
  return shown + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace dpbudget::fl
