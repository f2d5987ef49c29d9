#include "dpbudget/tools/cli/page/bibliography.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace dpbudget::tools {
namespace {

constexpr std::array citing = {"accounting", "fl", "tools/cli/eval"};

// A source of the library, adjacent literals joined.
std::string literals_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string source(std::istreambuf_iterator<char>(in), {});
  static const std::regex joint("\"\\s*\n\\s*\"");
  return std::regex_replace(source, joint, "");
}

TEST(Bibliography, HasEveryPublicationThatAStatementOfTheLibraryCites) {
  static const std::regex literal("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  // Names with capitals, and a year of four digits that is not part of a file's or a table's text.
  static const std::regex citation(
      "((?:[A-Z][A-Za-z\xC3\xA1-\xC3\xBA-]+(?:, | et al\\. | ))+)((?:19|20)[0-9]{2})(?![0-9])");
  std::set<std::string> missing;
  std::size_t found = 0;
  for (const std::string folder : citing)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(DPBUDGET_SOURCE_DIR "/" + folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      const std::string source = literals_of(entry.path());
      for (std::sregex_iterator text(source.begin(), source.end(), literal), end; text != end; ++text) {
        const std::string statement = (*text)[1];
        for (std::sregex_iterator cited(statement.begin(), statement.end(), citation); cited != end; ++cited) {
          ++found;
          if (references_of(cited->str()).empty()) missing.insert(cited->str() + " in " + entry.path().string());
        }
      }
    }
  EXPECT_GT(found, 150U);
  for (const std::string& each : missing) ADD_FAILURE() << each;
}

TEST(Bibliography, HasNothingElse) {
  std::string sources;
  for (const std::string folder : citing)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(DPBUDGET_SOURCE_DIR "/" + folder))
      if (entry.is_regular_file()) sources += literals_of(entry.path());
  for (const Reference& reference : bibliography())
    for (const std::string_view key : reference.keys) EXPECT_NE(sources.find(key), std::string::npos) << key;
}

TEST(Bibliography, GivesReferencesInTheOrderOfTheStatement) {
  const auto found = references_of(
      "groups of records: Bun, Dwork, Rothblum, Steinke 2018, Proposition 6; zCDP: Bun, Steinke 2016, Proposition 1.9");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0]->text.find("Truncated CDP"), std::string_view::npos);
  EXPECT_EQ(found[1]->link, "https://arxiv.org/abs/1605.02065");
  EXPECT_TRUE(references_of("accounting/contour/proofs.md, 4.2").empty());
}

TEST(Bibliography, NamesEachPublicationOnceWithALink) {
  std::set<std::string_view> keys;
  std::set<std::string_view> links;
  for (const Reference& reference : bibliography()) {
    EXPECT_TRUE(links.insert(reference.link).second) << reference.link;
    EXPECT_TRUE(reference.link.starts_with("https://")) << reference.link;
    for (const std::string_view key : reference.keys) {
      EXPECT_TRUE(keys.insert(key).second) << key;
      ASSERT_EQ(references_of(key).size(), 1U) << key;
      EXPECT_EQ(references_of(key).front(), &reference) << key;
    }
  }
}

}  // namespace
}  // namespace dpbudget::tools
