/// @file
/// A file that is on no disk, for what reads files by their names.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "fuzz/target.h"

namespace dpbudget::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("input", 0)) {
    expect(descriptor_ >= 0 && write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
           "a file in memory can be written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// By which it can be opened as often as wished, each time from its beginning.
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace dpbudget::fuzz
