#include "dpbudget/fl/files/replace_file.h"

#include <fstream>
#include <ios>
#include <system_error>

namespace dpbudget {

namespace {

namespace fs = std::filesystem;

// Where links lead, so that they stay links; what they lead to need not be there.
fs::path target_of(fs::path file) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code failure;
  for (int followed = 0; followed < most_links && fs::is_symlink(file, failure); ++followed) {
    const fs::path next = fs::read_symlink(file, failure);
    if (failure) break;
    file = file.parent_path() / next;  // an absolute path takes the place of the whole
  }
  return file;
}

// A device or a pipe takes what it is given, and is nothing to put a file in the place of.
bool takes_directly(const fs::path& file) {
  std::error_code failure;
  return fs::is_other(file, failure);
}

bool write_all(const fs::path& file, std::initializer_list<std::string_view> pieces) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::string_view piece : pieces) out << piece;
  out.close();
  return out.good();
}

}  // namespace

fs::path part_of(const fs::path& file) {
  fs::path part = target_of(file);
  part += ".part";
  return part;
}

bool replace_file(const fs::path& file, std::initializer_list<std::string_view> pieces) {
  if (takes_directly(file)) return write_all(file, pieces);
  const fs::path part = part_of(file);
  const bool is_written = write_all(part, pieces);
  std::error_code failure;
  if (is_written) fs::rename(part, target_of(file), failure);
  if (is_written && !failure) return true;
  fs::remove(part, failure);
  return false;
}

}  // namespace dpbudget
