/// @file
/// A file that one process alone writes.
#pragma once

#include <filesystem>
#include <utility>

namespace dpbudget {

/// Holds a file against other writers who ask for it likewise, for as long as it lives or until `let_go`. The system
/// lets go of it when the process ends, however it ends: nothing is left behind.
class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { let_go(); }

  /// Takes the file, which is made where it is not there and not changed where it is; what was held before is let go. A
  /// file system without locks holds nobody off.
  /// @return whether nobody else holds it
  [[nodiscard]] bool take(const std::filesystem::path& file);

  /// The same, but waits until nobody else holds it.
  void wait_for(const std::filesystem::path& file);

  void let_go();

  friend void swap(FileLock& a, FileLock& b) noexcept { std::swap(a.descriptor_, b.descriptor_); }

 private:
  void open_file(const std::filesystem::path& file);
  bool is_of(const std::filesystem::path& file) const;

  int descriptor_ = -1;
};

}  // namespace dpbudget
