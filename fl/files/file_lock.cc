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

bool FileLock::take(const std::filesystem::path& file) {
  open_file(file);
  // Who cannot open it will be told when it is written.
  if (descriptor_ < 0) return true;
  return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
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
