#include "dpbudget/tools/cli/simulation/results_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"

namespace dpbudget::tools {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string csv_field(const nlohmann::json& value) {
  if (value.is_null()) return {};
  return quoted(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

ResultsFile::ResultsFile(std::string file, std::vector<std::string> columns)
    : is_csv_(std::filesystem::path(file).extension() == ".csv"),
      columns_(std::move(columns)),
      file_(std::move(file)) {}

void ResultsFile::begin() {
  if (!is_wanted()) return;
  if (!lock_.take(file_.path()))
    throw InvalidArgument(fmt::format("--results is {}, which another run is writing", file_.path().string()));
  file_.begin();
  if (!is_csv_) return;
  std::string heading;
  for (const std::string& column : columns_) heading += (heading.empty() ? "" : ",") + quoted(column);
  append_line(std::move(heading));
}

void ResultsFile::append(const nlohmann::json& row) {
  if (!is_wanted()) return;
  if (!is_csv_) return append_line(row.dump());
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) line += ',';
    if (const auto found = row.find(columns_[i]); found != row.end()) line += csv_field(*found);
  }
  append_line(std::move(line));
}

void ResultsFile::append_line(std::string line) {
  if (!file_.append(line + (is_csv_ ? "\r\n" : "\n")))
    throw CannotWrite(fmt::format("--results {} could not be written", file_.path().string()));
}

}  // namespace dpbudget::tools
