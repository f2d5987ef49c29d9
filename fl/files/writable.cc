#include "dpbudget/fl/files/writable.h"

#include <fstream>
#include <ios>
#include <system_error>

#include "dpbudget/fl/files/file_lock.h"

namespace dpbudget {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_writable(const fs::path& file) {
  std::error_code error;  // a folder that may not be entered
  const bool was_there = fs::exists(fs::symlink_status(file, error));
  if (!std::ofstream(file, std::ios::binary | std::ios::app)) return false;
  // Another run may have begun to write it since.
  FileLock lock;
  if (!was_there && lock.take(file) && fs::file_size(file, error) == 0) fs::remove(file, error);
  return true;
}

}  // namespace dpbudget
