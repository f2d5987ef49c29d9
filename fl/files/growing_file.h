/// @file
/// Files that are read while they are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace dpbudget {

/// A file that grows piece by piece, each handed to the operating system before the next: it ends in a whole piece
/// unless the process ends within one.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path file);

  const std::filesystem::path& path() const { return path_; }

  /// Empties the file.
  void begin();

  /// Goes on behind what stands in it.
  void go_on();

  /// @return whether the piece could be written; otherwise no more can, and what was written of it is taken away again,
  ///         with a file that holds no piece at all
  [[nodiscard]] bool append(std::string_view piece);

 private:
  void open(std::ios::openmode mode);

  std::filesystem::path path_;
  std::ofstream out_;
  std::uintmax_t size_ = 0;  // of the whole pieces
};

}  // namespace dpbudget
