#include "dpbudget/tools/cli/sweep/results.h"

#include <fmt/format.h>

#include <fstream>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/file_lock.h"
#include "dpbudget/fl/files/growing_file.h"

namespace dpbudget::tools {
namespace {

namespace fs = std::filesystem;

// Takes away what stands behind the last end of a line, which `read` has found to be of this sweep.
void drop_torn_line(const fs::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return;
  std::streamoff end = in.tellg();
  const std::streamoff size = end;
  while (end > 0) {
    in.seekg(end - 1);
    if (in.get() == '\n') break;
    --end;
  }
  std::error_code failure;
  if (end < size) fs::resize_file(file, static_cast<std::uintmax_t>(end), failure);
}

// Whether an object goes on beyond the end of the text.
bool is_torn_object(const std::string& text) {
  try {
    std::ignore = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return text.starts_with('{') && error.byte > text.size();
  }
  return false;
}

}  // namespace

SweepResults::SweepResults(fs::path file, const std::vector<SweepRun>& runs) : file_(std::move(file)) {
  std::error_code failure;
  const fs::file_status found = fs::status(file_, failure);
  if (fs::exists(found) && !fs::is_regular_file(found))
    throw InvalidArgument(fmt::format("--results is {}, but must be a file that can be read again", file_.string()));
  for (const SweepRun& run : runs) known_.insert(run.name);
}

std::map<std::string, nlohmann::json> SweepResults::read() const {
  std::map<std::string, nlohmann::json> rows;
  std::ifstream in(file_, std::ios::binary);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (in.eof() && is_torn_object(line)) break;
    nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    const auto name = row.is_object() ? row.find("run") : row.end();
    if (!row.is_object() || name == row.end() || !name->is_string() || !known_.contains(*name))
      throw InvalidArgument(
          fmt::format("--results {}: line {} is of no run of this sweep, whose rows alone it may hold: the sweep needs "
                      "another file",
                      file_.string(), number));
    if (in.eof()) break;  // whole, but for the end of its line: done again
    rows.insert_or_assign(name->get<std::string>(), std::move(row));
  }
  return rows;
}

void SweepResults::append(const nlohmann::json& row) const {
  FileLock lock;
  lock.wait_for(file_);
  drop_torn_line(file_);
  GrowingFile file(file_);
  file.go_on();
  if (!file.append(row.dump() + "\n"))
    throw CannotWrite(fmt::format("--results {} could not be written", file_.string()));
}

}  // namespace dpbudget::tools
