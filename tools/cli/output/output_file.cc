#include "dpbudget/tools/cli/output/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/file_lock.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/fl/files/writable.h"

namespace dpbudget::tools {
namespace {

namespace fs = std::filesystem;

// What a file is known by whatever its name: where it is there its number on its device, otherwise its path.
struct Identity {
  dev_t device = 0;
  ino_t number = 0;
  fs::path path = {};
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

std::optional<Identity> identity_of_existing(const std::string& file) {
  struct stat found = {};
  if (stat(file.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino};
}

Identity identity_of(const std::string& file) {
  const auto existing = identity_of_existing(file);
  return existing ? *existing : Identity{.path = fs::weakly_canonical(fs::absolute(file))};
}

// Files that are spoken for, each with what is done to it.
class Taken {
 public:
  void by_input(std::string_view option, const std::string& file) {
    if (const auto identity = identity_of_existing(file))
      by_.emplace(*identity, fmt::format("{} reads the same file", option));
  }

  // A terminal or a pipe takes whatever comes.
  void by_standard_output() {
    std::error_code failure;
    const std::string file = fs::canonical("/dev/stdout", failure).string();
    if (!failure && fs::is_regular_file(file, failure)) by("standard output", file, file);
  }

  void by_output(std::string_view option, const std::string& file) {
    by(option, file, file);
    by(option, file, part_of(file).string());
  }

 private:
  void by(std::string_view option, const std::string& given, const std::string& written) {
    const auto [place, is_new] = by_.emplace(identity_of(written), fmt::format("{} goes to the same file", option));
    if (is_new) return;
    const std::string first = written == given ? "" : fmt::format(" by way of {}", written);
    throw InvalidArgument(fmt::format("{} is {}{}, but {}", option, given, first, place->second));
  }

  std::map<Identity, std::string> by_;
};

// Whether a run holds it. Who adds a line holds a file for a moment.
bool is_being_written(const std::string& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  for (int tries = 0; tries < 20; ++tries) {
    FileLock lock;
    if (lock.take(file)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace

void check_output_file(std::string_view option, const std::string& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw InvalidArgument(fmt::format("{} is {}, but there is no folder {}", option, file, folder.string()));
  // What stands there stays until the work is done.
  if (!is_writable(file)) throw CannotWrite(fmt::format("{} is {}, which cannot be opened for writing", option, file));
  if (is_being_written(file))
    throw InvalidArgument(fmt::format("{} is {}, which another run is writing", option, file));
}

void check_output_files(const NamedFiles& outputs, const NamedFiles& inputs) {
  Taken taken;
  for (const auto& [option, file] : inputs)
    if (!file.empty()) taken.by_input(option, file);
  taken.by_standard_output();
  for (const auto& [option, file] : outputs) {
    if (file.empty()) continue;
    check_output_file(option, file);
    taken.by_output(option, file);
  }
}

void require_file(std::string_view option, const std::string& input) {
  if (takes_directly(input))
    throw InvalidArgument(fmt::format("ledger {} must be a file with {}, which reads it twice", input, option));
}

}  // namespace dpbudget::tools
