#include "dpbudget/fl/files/whole_lines.h"

#include <fmt/format.h>

namespace dpbudget {

std::optional<std::string_view> WholeLines::next() {
  std::size_t searched = used_;
  std::size_t end = std::string::npos;
  while ((end = unread_.find('\n', searched)) == std::string::npos) {
    unread_.erase(0, used_);
    used_ = 0;
    searched = unread_.size();
    if (searched > longest_line) throw InvalidArgument(fmt::format("a line is longer than {} bytes", longest_line));
    if (!text_.read(unread_)) return std::nullopt;
  }
  const std::string_view line = std::string_view(unread_).substr(used_, end + 1 - used_);
  used_ = end + 1;
  given_ += line.size();
  return line;
}

std::optional<std::uint64_t> WholeLines::position() const {
  if (!are_packed()) return given_;
  return used_ == unread_.size() ? text_.end_of_block() : std::nullopt;
}

}  // namespace dpbudget
