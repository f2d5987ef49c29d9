/// @file
/// Ledgers that are looked at once.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace dpbudget::tools {

/// A file in the temporary directory that goes when this does; one at a time.
class TemporaryLedger {
 public:
  TemporaryLedger() : path_(std::filesystem::temp_directory_path() / fmt::format("dpbudget-{}.jsonl", ::getpid())) {}
  TemporaryLedger(const TemporaryLedger&) = delete;
  TemporaryLedger& operator=(const TemporaryLedger&) = delete;
  ~TemporaryLedger() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dpbudget::tools
