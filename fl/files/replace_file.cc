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

bool takes_directly(const fs::path& file) {
  std::error_code failure;
  return fs::is_other(file, failure);
}

bool put_in_place(const fs::path& file) {
  std::error_code failure;
  fs::rename(part_of(file), target_of(file), failure);
  if (!failure) return true;
  fs::remove(part_of(file), failure);
  return false;
}

bool replace_file(const fs::path& file, std::initializer_list<std::string_view> pieces) {
  if (takes_directly(file)) return write_all(file, pieces);
  const fs::path part = part_of(file);
  if (write_all(part, pieces)) return put_in_place(file);
  std::error_code failure;
  fs::remove(part, failure);
  return false;
}

}  // namespace dpbudget
