/// @file
/// What one check found.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// Collects failures of one check and keeps the first.
class Finding {
 public:
  explicit Finding(std::string_view name) : name_(name) {}

  /// What another process found.
  Finding(std::string_view name, std::size_t failures, std::string first)
      : name_(name), failures_(failures), first_(std::move(first)) {}

  std::string_view name() const { return name_; }
  std::size_t failures() const { return failures_; }
  const std::string& first() const { return first_; }

  /// Says otherwise only where it does not hold: a million lines ask, and mostly hold.
  template <class... Values>
  void expect(bool holds, fmt::format_string<Values...> otherwise, Values&&... values) {
    if (!holds && failures_++ == 0) first_ = fmt::format(otherwise, std::forward<Values>(values)...);
  }

  /// The same of one line, which is named.
  template <class... Values>
  void expect(const Participation& at, bool holds, fmt::format_string<Values...> otherwise, Values&&... values) {
    if (!holds && failures_++ == 0)
      first_ = fmt::format("round {}, client {}: {}", at.round, at.client,
                           fmt::format(otherwise, std::forward<Values>(values)...));
  }

  /// Takes over what the same check found in lines that follow.
  void add(const Finding& later) {
    if (failures_ == 0) first_ = later.first_;
    failures_ += later.failures_;
  }

  Check conclude(std::string when_passed) const {
    if (failures_ == 0) return {name_, true, std::move(when_passed)};
    return {name_, false, failures_ == 1 ? first_ : fmt::format("{} (and {} more)", first_, failures_ - 1)};
  }

 private:
  std::string name_;
  std::size_t failures_ = 0;
  std::string first_;
};

}  // namespace dpbudget::fl
