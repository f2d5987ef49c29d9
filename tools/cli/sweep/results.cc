#include "dpbudget/tools/cli/sweep/results.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/growing_file.h"
#include "dpbudget/fl/ledger/file_lock.h"

namespace dpbudget::tools {
namespace {

namespace fs = std::filesystem;

// Takes away what stands behind the last end of a line.
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

}  // namespace

SweepResults::SweepResults(fs::path file, const std::vector<SweepRun>& runs) : file_(std::move(file)) {
  for (std::size_t i = 0; i < runs.size(); ++i) known_.emplace(runs[i].name, i);
}

std::map<std::string, nlohmann::json> SweepResults::read() const {
  std::map<std::string, nlohmann::json> rows;
  std::ifstream in(file_, std::ios::binary);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (in.eof()) break;  // torn
    nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    const auto name = row.is_object() ? row.find("run") : row.end();
    if (!row.is_object() || name == row.end() || !name->is_string() || !known_.contains(*name))
      throw InvalidArgument(
          fmt::format("--results {}: line {} is of no run of this sweep, whose rows alone it may hold: the sweep needs "
                      "another file",
                      file_.string(), number));
    rows.insert_or_assign(name->get<std::string>(), std::move(row));
  }
  return rows;
}

void SweepResults::append(const nlohmann::json& row) const {
  fl::FileLock lock;
  lock.wait_for(file_);
  drop_torn_line(file_);
  GrowingFile file(file_);
  file.go_on();
  if (!file.append(row.dump() + "\n"))
    throw CannotWrite(fmt::format("--results {} could not be written", file_.string()));
}

}  // namespace dpbudget::tools
