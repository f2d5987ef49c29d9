/// @file
/// How far a run is, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dpbudget::tools {

/// Told on standard error, over itself, a few times a second.
class Progress {
 public:
  /// @param total     rounds of the run
  /// @param is_shown  whether standard error is a terminal
  Progress(std::uint64_t total, bool is_shown) : total_(total), is_shown_(is_shown), began_(Clock::now()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// @param round  that has ended, from 1
  void operator()(std::uint64_t round);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t total_;
  bool is_shown_;
  Clock::time_point began_;
  Clock::time_point last_;
  std::uint64_t first_ = 0;
  bool has_text_ = false;
};

}  // namespace dpbudget::tools
