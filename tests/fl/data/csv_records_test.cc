#include "dpbudget/fl/data/csv_records.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fl/data/data_files.h"
#include "fl/small.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Fields = std::vector<std::string>;

class CsvRecords : public DataFiles {
 protected:
  std::vector<CsvRecord> records(const std::string& text) const {
    ByteFile file(plain("table.csv", text));
    return read_csv_records(file);
  }

  void expect(const std::string& text, const std::vector<Fields>& wanted,
              const std::vector<std::uint64_t>& lines) const {
    const auto read = records(text);
    ASSERT_EQ(read.size(), wanted.size()) << text;
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].fields, wanted[i]) << text;
      EXPECT_EQ(read[i].line, lines[i]) << text;
    }
  }
};

TEST_F(CsvRecords, AreAsInTheStandard) {
  expect("", {}, {});
  expect("a,b\n", {{"a", "b"}}, {1});
  expect("a,b", {{"a", "b"}}, {1});
  expect("a,b\r\nc,d\r\n", {{"a", "b"}, {"c", "d"}}, {1, 2});
  expect("a,,\n,\n\nx", {{"a", "", ""}, {"", ""}, {""}, {"x"}}, {1, 2, 3, 4});
  expect(" a , b\t\n", {{" a ", " b\t"}}, {1});
  expect("\"a\",\"\"\n\"b,c\",\"\"\"\"\n", {{"a", ""}, {"b,c", "\""}}, {1, 2});
  expect("\"say \"\"so\"\"\"", {{"say \"so\""}}, {1});
  expect("\"two\nlines\",\"a\r\n\r\nb\"\nnext", {{"two\nlines", "a\r\n\r\nb"}, {"next"}}, {1, 5});
  expect("\xef\xbb\xbf\"a\",b\n", {{"a", "b"}}, {1});
}

TEST_F(CsvRecords, NameTheLineThatIsWrong) {
  const auto refused = [&](const std::string& text, const std::string& reason) {
    EXPECT_REFUSED((folder_ / "table.csv").string() + ": " + reason, records(text));
  };
  refused("a,b\nc,d\"e\n", "line 2: a quote inside a field");
  refused("a\n\"b\" ,c\n", "line 2: text after a closing quote");
  refused("\"a\n\"x", "line 2: text after a closing quote");
  refused("a\n\"b\nc\n", "line 2: a quote that is not closed");
  refused("a\n\"b\"\"\nc\n", "line 2: a quote that is not closed");
  refused("a\nb\rc\n", "line 2: a carriage return without a line feed");
  refused("a\r", "line 1: a carriage return without a line feed");
  refused("\"a\"\r", "line 1: a carriage return without a line feed");
}

// Whatever is written with quotes where they are needed, or everywhere, is read back.
RC_GTEST_PROP(ReadCsvRecords, ReadsBackWhatWasWritten, ()) {
  const auto text =
      rc::gen::scale(0.3, rc::gen::container<std::string>(rc::gen::element('a', ' ', ',', '"', '\n', '\r', ';')));
  const auto fields = rc::gen::nonEmpty(rc::gen::scale(0.1, rc::gen::container<Fields>(text)));
  const auto table = *rc::gen::nonEmpty(rc::gen::scale(0.3, rc::gen::container<std::vector<Fields>>(fields)));
  const bool always = *rc::gen::arbitrary<bool>();
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n");
  std::string written;
  for (const Fields& record : table) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      std::string doubled;
      for (const char c : record[i]) doubled += c == '"' ? "\"\"" : std::string(1, c);
      const bool plain = !always && record[i].find_first_of(",\"\r\n") == std::string::npos;
      written += (i > 0 ? "," : "") + (plain ? record[i] : "\"" + doubled + "\"");
    }
    written += end;
  }
  const TemporaryFile path;
  std::ofstream(path.path(), std::ios::binary) << written;
  ByteFile file(path.path());
  const auto read = read_csv_records(file);
  RC_ASSERT(read.size() == table.size());
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < read.size(); ++i) {
    RC_ASSERT(read[i].fields == table[i]);
    RC_ASSERT(read[i].line == line);
    ++line;
    for (const std::string& field : table[i]) line += static_cast<std::uint64_t>(std::ranges::count(field, '\n'));
  }
}

TEST(Shown, FitsOnALine) {
  EXPECT_EQ(shown("plain"), "\"plain\"");
  EXPECT_EQ(shown("a\nb\tc\xc3\xa9"), "\"a?b?c??\"");
  EXPECT_EQ(shown(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace dpbudget::fl
