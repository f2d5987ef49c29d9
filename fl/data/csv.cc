#include "dpbudget/fl/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/fl/data/byte_file.h"
#include "dpbudget/fl/data/csv_records.h"

namespace dpbudget::fl {
namespace {

// One file's records, all as long as its header.
struct Sheet {
  explicit Sheet(const std::filesystem::path& path) : file(path), records(read_csv_records(file)) {
    if (records.size() < 2) file.fail("has no records below a header");
    if (records.size() > std::numeric_limits<std::uint32_t>::max()) file.fail("has 2^32 records or more");
    for (const CsvRecord& record : records)
      if (record.fields.size() != records.front().fields.size())
        file.fail(fmt::format("line {}: has {} fields, but the header has {}", record.line, record.fields.size(),
                              records.front().fields.size()));
  }

  ByteFile file;
  std::vector<CsvRecord> records;
};

// The records below the headers of one or two files.
class Rows {
 public:
  Rows(const std::filesystem::path& path, const std::filesystem::path* test) : first_(path) {
    std::set<std::string> names;
    for (const std::string& name : header())
      if (!names.insert(name).second) fail(fmt::format("has two columns {}", shown(name)));
    if (test == nullptr) return;
    second_.emplace(*test);
    if (second_->records.front().fields != header())
      second_->file.fail(fmt::format("has another header than {}", path.string()));
    if (first_.records.size() + second_->records.size() > std::numeric_limits<std::uint32_t>::max())
      second_->file.fail("has 2^32 records or more together with the other");
  }

  const std::vector<std::string>& header() const { return first_.records.front().fields; }
  std::size_t first_size() const { return first_.records.size() - 1; }
  std::size_t size() const { return first_size() + (second_ ? second_->records.size() - 1 : 0); }
  const std::string& text(std::size_t row, std::size_t column) const { return record(row).fields[column]; }

  std::size_t column(const std::string& name) const {
    const auto found = std::ranges::find(header(), name);
    if (found == header().end()) fail(fmt::format("has no column {}", shown(name)));
    return static_cast<std::size_t>(found - header().begin());
  }

  double number(std::size_t row, std::size_t column) const {
    const std::string& field = text(row, column);
    const std::optional<double> value = number_in(field);
    if (!value || !std::isfinite(*value))
      (row < first_size() ? first_ : *second_)
          .file.fail(
              fmt::format("line {}, column {}: is {}, but must be a finite number unless the column is categorical",
                          record(row).line, shown(header()[column]), shown(field)));
    return *value;
  }

  [[noreturn]] void fail(const std::string& reason) const { first_.file.fail(reason); }

 private:
  const CsvRecord& record(std::size_t row) const {
    return row < first_size() ? first_.records[row + 1] : second_->records[row - first_size() + 1];
  }

  Sheet first_;
  std::optional<Sheet> second_;
};

// The values of a column and, per record, which of them it has.
struct Categories {
  std::vector<std::string> names;
  std::vector<std::int32_t> codes;
};

Categories categories_of(const Rows& rows, std::size_t column) {
  Categories categories;
  for (std::size_t row = 0; row < rows.size(); ++row) categories.names.push_back(rows.text(row, column));
  std::ranges::sort(categories.names);
  const auto repeated = std::ranges::unique(categories.names);
  categories.names.erase(repeated.begin(), repeated.end());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto at = std::ranges::lower_bound(categories.names, rows.text(row, column));
    categories.codes.push_back(static_cast<std::int32_t>(at - categories.names.begin()));
  }
  return categories;
}

struct Column {
  std::size_t in_file;
  std::optional<Categories> categories;  // of a categorical one
};

// What a table may hold: 8 GiB of numbers.
constexpr std::size_t most_numbers = std::size_t{1} << 30U;

// How many columns `column` becomes.
std::size_t width_of(const Column& column, bool one_hot) {
  return column.categories && one_hot ? column.categories->names.size() : 1;
}

// A column of names or numbers given as categorical would become as many columns as there are records.
void require_moderate_size(const Rows& rows, const std::vector<Column>& columns, bool one_hot) {
  std::size_t width = 0;
  for (const Column& column : columns) width += width_of(column, one_hot);
  if (width <= most_numbers / rows.size()) return;
  const Column& widest =
      *std::ranges::max_element(columns, {}, [&](const Column& column) { return width_of(column, one_hot); });
  rows.fail(fmt::format("{} records of {} numbers are too many (2^30 are the most); column {} alone becomes {}",
                        rows.size(), width, shown(rows.header()[widest.in_file]), width_of(widest, one_hot)));
}

// Appends the names of the columns that `column` becomes.
void name_features(const Column& column, const std::string& name, bool one_hot, CsvTable& table) {
  if (!column.categories) table.numeric.push_back(static_cast<Eigen::Index>(table.features.size()));
  if (!column.categories || !one_hot) {
    table.features.push_back(name);
    return;
  }
  for (const std::string& value : column.categories->names) table.features.push_back(fmt::format("{}={}", name, value));
}

// Fills the columns from `first` on with what `column` becomes, and says where the next one begins.
Eigen::Index fill_features(const Rows& rows, const Column& column, bool one_hot, Eigen::Index first, Matrix& features) {
  const bool spread = column.categories && one_hot;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto i = static_cast<Eigen::Index>(row);
    if (spread)
      features(i, first + column.categories->codes[row]) = 1;
    else
      features(i, first) = column.categories ? column.categories->codes[row] : rows.number(row, column.in_file);
  }
  return first + static_cast<Eigen::Index>(width_of(column, one_hot));
}

void set_target(const Rows& rows, std::size_t target, bool is_categorical, CsvTable& table) {
  if (is_categorical) {
    Categories categories = categories_of(rows, target);
    if (categories.names.size() < 2)
      rows.fail(fmt::format("column {} has a single value, but a target needs two", shown(rows.header()[target])));
    table.dataset.classes = static_cast<int>(categories.names.size());
    table.dataset.labels = std::move(categories.codes);
    table.class_names = std::move(categories.names);
  } else {
    for (std::size_t row = 0; row < rows.size(); ++row) table.dataset.targets.push_back(rows.number(row, target));
  }
}

}  // namespace

namespace {

CsvTable table_of(const Rows& rows, const CsvColumns& columns) {
  const std::size_t target = rows.column(columns.target);
  std::vector<bool> is_categorical(rows.header().size());
  for (const std::string& name : columns.categorical) {
    const std::size_t column = rows.column(name);
    if (is_categorical[column]) rows.fail(fmt::format("column {} is named twice as categorical", shown(name)));
    is_categorical[column] = true;
  }
  std::optional<std::size_t> client;
  if (!columns.client.empty()) client = rows.column(columns.client);
  if (client == target) rows.fail(fmt::format("column {} is both the target and the client", shown(columns.client)));
  if (rows.header().size() < (client ? 3 : 2))
    rows.fail(client ? "has no column beside target and client" : "has no column beside the target");

  CsvTable table;
  table.test_from = rows.first_size();
  if (client) table.clients = categories_of(rows, *client).codes;
  std::vector<Column> parts;
  for (std::size_t column = 0; column < rows.header().size(); ++column) {
    if (column == target || column == client) continue;
    parts.push_back({column, {}});
    if (is_categorical[column]) parts.back().categories = categories_of(rows, column);
  }
  require_moderate_size(rows, parts, columns.one_hot);
  for (const Column& part : parts) name_features(part, rows.header()[part.in_file], columns.one_hot, table);
  table.dataset.features.setZero(static_cast<Eigen::Index>(rows.size()),
                                 static_cast<Eigen::Index>(table.features.size()));
  Eigen::Index next = 0;
  for (const Column& part : parts) next = fill_features(rows, part, columns.one_hot, next, table.dataset.features);
  set_target(rows, target, is_categorical[target], table);
  return table;
}

}  // namespace

CsvTable load_csv(const std::filesystem::path& path, const CsvColumns& columns) {
  return table_of(Rows(path, nullptr), columns);
}

CsvTable load_csv(const std::filesystem::path& path, const std::filesystem::path& test, const CsvColumns& columns) {
  return table_of(Rows(path, &test), columns);
}

}  // namespace dpbudget::fl
