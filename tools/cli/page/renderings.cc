#include "dpbudget/tools/cli/page/renderings.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/version.hpp>
#include <cmath>
#include <map>

#include "dpbudget/tools/cli/page/bibliography.h"
#include "dpbudget/version.h"

namespace dpbudget::tools {

std::vector<std::string> reading_aids(const PageContent& page) {
  if (page.theorems.empty()) return {};
  return {
      "At most X (proven): in exact arithmetic the theorems below give at most X, their preconditions were checked, "
      "and rounding can only have made X larger. Printed digits are rounded up.",
      "At least Y: no theorem whatever can prove less, because two neighbouring data sets attain Y. Printed digits are "
      "rounded down.",
      "About X (estimate): a limit theorem, or a published claim with a gap. The truth may lie on either side; the "
      "reason stands among the notes.",
  };
}

std::vector<Entry> references_of(const PageContent& page) {
  std::vector<Entry> found;
  const auto add = [&](const std::string& text) {
    for (const Reference* reference : references_of(text)) {
      const Entry entry(reference->text, reference->link);
      if (std::ranges::find(found, entry) == found.end()) found.push_back(entry);
    }
  };
  for (const std::string& theorem : page.theorems) add(theorem);
  for (const std::string& note : page.notes) add(note);
  add(page.printed);
  return found;
}

std::vector<Entry> versions() {
  return {{"dpbudget", std::string(version)},
          {"compiler", __VERSION__},
          {"Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)}};
}

std::vector<Row> points_of(const Plot& plot) {
  constexpr std::size_t most = 12;
  std::map<double, std::vector<std::string>> at;
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    for (std::size_t j = 0; j < plot.lines[i].x.size(); ++j) {
      std::vector<std::string>& cells = at[plot.lines[i].x[j]];
      cells.resize(plot.lines.size());
      cells[i] = fmt::format("{:.5g}", plot.lines[i].y[j]);
    }
  Row heading{plot.x_label};
  for (const Line& line : plot.lines) heading.push_back(line.title.empty() ? plot.y_label : line.title);
  std::vector<Row> rows{heading};
  const std::size_t shown = std::min(most, at.size());
  std::size_t place = 0;
  std::size_t next = 0;
  for (const auto& [x, cells] : at) {
    if (place == (shown < 2 ? 0 : next * (at.size() - 1) / (shown - 1))) {
      Row row{fmt::format("{:.5g}", x)};
      row.insert(row.end(), cells.begin(), cells.end());
      rows.push_back(std::move(row));
      ++next;
    }
    ++place;
  }
  return rows;
}

}  // namespace dpbudget::tools
