/// @file
/// Files that a test needs to find.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dpbudget::fl {

/// Replaces what was in `file`.
inline void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace dpbudget::fl
