/// @file
/// How steps change over a run, as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// What multiplies a step in round or local step t, in the language of noise schedules; or the steps that the
/// algorithm's theorem prescribes.
struct StepSchedule {
  std::optional<NoiseShape> shape;  ///< nothing: `theorem`

  bool is_theorem() const { return !shape; }

  /// `theorem`, or what parse_shape reads.
  /// @throws InvalidArgument naming key and what is wrong
  static StepSchedule from_text(std::string_view key, std::string_view text);

  /// The text that gives it back and names no file.
  std::string text() const;

  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;
};

}  // namespace dpbudget::fl
