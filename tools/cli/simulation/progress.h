/// @file
/// How far a run is, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace dpbudget::tools {

/// Told on standard error, over itself, a few times a second.
class Progress {
 public:
  /// @param unit      what there is a number of, as "round"
  /// @param total     that there are
  /// @param is_shown  whether standard error is a terminal
  Progress(std::string unit, std::uint64_t total, bool is_shown)
      : unit_(std::move(unit)), total_(total), is_shown_(is_shown), began_(Clock::now()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// @param number  of the last that has ended, from 1; 0: none has
  void operator()(std::uint64_t number);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string unit_;
  std::uint64_t total_;
  bool is_shown_;
  Clock::time_point began_;
  Clock::time_point last_;
  std::uint64_t first_ = 0;
  bool has_text_ = false;
};

}  // namespace dpbudget::tools
