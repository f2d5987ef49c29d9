#include "dpbudget/tools/cli/output/output_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::tools {

namespace fs = std::filesystem;

void check_output_file(std::string_view option, const std::string& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw InvalidArgument(fmt::format("{} is {}, but there is no folder {}", option, file, folder.string()));
  // Opened to append, and taken away again if it was not there: what stands there stays until the work is done.
  const bool was_there = fs::exists(fs::symlink_status(file));
  if (!std::ofstream(file, std::ios::binary | std::ios::app))
    throw InvalidArgument(fmt::format("{} is {}, which cannot be opened for writing", option, file));
  if (!was_there) fs::remove(file);
}

void check_output_files(const std::vector<std::pair<std::string_view, std::string>>& files) {
  std::map<fs::path, std::string_view> taken;
  for (const auto& [option, file] : files) {
    if (file.empty()) continue;
    check_output_file(option, file);
    const auto [place, is_new] = taken.emplace(fs::weakly_canonical(fs::absolute(file)), option);
    if (!is_new)
      throw InvalidArgument(fmt::format("{} is {}, but {} goes to the same file", option, file, place->second));
  }
}

}  // namespace dpbudget::tools
