#include "dpbudget/fl/files/replace_file.h"

#include <fstream>
#include <ios>
#include <system_error>

namespace dpbudget {

std::filesystem::path part_of(const std::filesystem::path& file) {
  std::filesystem::path part = file;
  part += ".part";
  return part;
}

bool replace_file(const std::filesystem::path& file, std::initializer_list<std::string_view> pieces) {
  const std::filesystem::path part = part_of(file);
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  for (const std::string_view piece : pieces) out << piece;
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(part, file, failure);
  if (out && !failure) return true;
  std::filesystem::remove(part, failure);
  return false;
}

}  // namespace dpbudget
