#include "dpbudget/tools/cli/options/plan_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/split.h"
#include "dpbudget/tools/cli/options/options.h"

namespace dpbudget::tools {
namespace {

// Where in a plan a file's name stands, from the @ on.
struct Place {
  std::size_t begin;
  std::size_t end;
};

std::vector<Place> places_in(const std::string& plan) {
  std::vector<Place> found;
  for (std::size_t at = plan.find("(@"); at != std::string::npos; at = plan.find("(@", at + 1))
    found.push_back({at + 1, std::min(plan.find(')', at), plan.size())});
  return found;
}

std::string name_at(const std::string& plan, const Place& place) {
  return std::string(trimmed(std::string_view(plan).substr(place.begin + 1, place.end - place.begin - 1)));
}

// The two parts of a line, if it has two.
std::optional<std::pair<std::string_view, std::string_view>> parts_of(std::string_view line) {
  const std::size_t comma = line.find(',');
  const std::size_t at = comma != std::string_view::npos ? comma : line.find_first_of(" \t");
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair{trimmed(line.substr(0, at)), trimmed(line.substr(at + 1))};
}

std::string rows_of(const std::string& file) {
  const std::string text = contents(file);
  std::string rows;
  std::size_t number = 0;
  bool may_be_names = true;
  for (const std::string_view whole : split(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    const auto parts = parts_of(line);
    const bool are_numbers = parts && number_in(parts->first) && number_in(parts->second);
    if (are_numbers)
      rows += fmt::format("{}{}:{}", rows.empty() ? "" : ", ", parts->first, parts->second);
    else
      require(may_be_names, fmt::format("line {} of {}", number, file), line.substr(0, 60), "two numbers");
    may_be_names = false;
  }
  require(!rows.empty(), file, "without a row", "a table of two numbers a line");
  return rows;
}

}  // namespace

NamedFiles table_files(const std::string& plan) {
  NamedFiles files;
  for (const Place& place : places_in(plan)) files.emplace_back("plan", name_at(plan, place));
  return files;
}

std::string with_tables(const std::string& plan) {
  std::string all;
  std::size_t from = 0;
  for (const Place& place : places_in(plan)) {
    all += plan.substr(from, place.begin - from) + rows_of(name_at(plan, place));
    from = place.end;
  }
  return all + plan.substr(from);
}

}  // namespace dpbudget::tools
