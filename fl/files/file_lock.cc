#include "dpbudget/fl/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace dpbudget {

void FileLock::open_file(const std::filesystem::path& file) {
  let_go();
  descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  // A device takes what many write.
  if (struct stat state; descriptor_ >= 0 && fstat(descriptor_, &state) == 0 && !S_ISREG(state.st_mode)) let_go();
}

// Whether what is open is still what has that name: it may have been taken away before it was locked.
bool FileLock::is_of(const std::filesystem::path& file) const {
  struct stat opened;
  struct stat named;
  return fstat(descriptor_, &opened) == 0 && stat(file.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

bool FileLock::take(const std::filesystem::path& file) {
  do {
    open_file(file);
    // Who cannot open it will be told when it is written.
    if (descriptor_ < 0) return true;
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const bool is_held = errno == EWOULDBLOCK;
      if (is_held) let_go();
      return !is_held;
    }
  } while (!is_of(file));
  return true;
}

void FileLock::wait_for(const std::filesystem::path& file) {
  open_file(file);
  if (descriptor_ < 0) return;
  // A signal that is only noted is no reason to write without it.
  while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

void FileLock::let_go() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace dpbudget
