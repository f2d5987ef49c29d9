/// @file
/// Whether a file can be written, asked before the work whose result it shall hold.
#pragma once

#include <filesystem>

namespace dpbudget {

/// Whether `file` can be opened for writing. What stands there stays as it is, and where nothing stands nothing is
/// left.
bool is_writable(const std::filesystem::path& file);

}  // namespace dpbudget
