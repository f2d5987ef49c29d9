#include "dpbudget/fl/files/writable.h"

#include <fstream>
#include <ios>

namespace dpbudget {

bool is_writable(const std::filesystem::path& file) {
  std::error_code error;  // a folder that may not be entered
  const bool was_there = std::filesystem::exists(file, error);
  if (!std::ofstream(file, std::ios::binary | std::ios::app)) return false;
  if (!was_there) std::filesystem::remove(file);
  return true;
}

}  // namespace dpbudget
