#include "dpbudget/tools/cli/simulation/progress.h"

#include <fmt/format.h>

#include <iostream>

namespace dpbudget::tools {
namespace {

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return seconds < 3600 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

void Progress::operator()(std::uint64_t number) {
  if (number == 0) return;
  if (first_ == 0) first_ = number - 1;
  const auto now = Clock::now();
  if (!is_shown_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double rate = static_cast<double>(number - first_) / seconds;
  std::cerr << fmt::format("\r{} {} of {}, {:.3g} a second, {} left   ", unit_, number, total_, rate,
                           duration(static_cast<double>(total_ - number) / rate))
            << std::flush;
  has_text_ = true;
}

void Progress::clear() {
  if (has_text_) std::cerr << "\r\033[K" << std::flush;
  has_text_ = false;
}

}  // namespace dpbudget::tools
