// Tables of comma-separated values. The input's first line names the columns that are asked for: the target, then the
// categorical ones, between tabs; an asterisk before the target asks for one column a category.

#include "dpbudget/fl/data/csv.h"

#include <string>
#include <vector>

#include "fuzz/memory_file.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  std::vector<std::string> names(1);
  for (const char c : input.substr(0, end)) {
    if (c == '\t')
      names.emplace_back();
    else
      names.back() += c;
  }
  dpbudget::fl::CsvColumns columns{.target = names.front(), .categorical = {names.begin() + 1, names.end()}};
  if (columns.target.starts_with('*')) {
    columns.one_hot = true;
    columns.target.erase(0, 1);
  }
  const dpbudget::fuzz::MemoryFile file(input.substr(std::min(end + 1, input.size())));
  const dpbudget::fl::CsvTable table = dpbudget::fl::load_csv(file.path(), columns);
  dpbudget::fuzz::expect(static_cast<std::size_t>(table.dataset.features.cols()) == table.features.size(),
                         "every column has a name");
  dpbudget::fuzz::expect(table.dataset.features.allFinite(), "every feature is a number");
}
