/// @file
/// Tables of a schedule from comma-separated files.
#pragma once

#include <string>
#include <string_view>

#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// Reads a table whose first line names its columns, in this order:
/// - `noise`: one line a round;
/// - `round,noise`: likewise, with the rounds 1, 2, 3, ... in order;
/// - `round,step,noise`: the steps 1 to tau of round 1, then those of round 2, and so on, the same number to each.
/// Spaces around a field and a carriage return at the line's end are no part of it.
/// @param quantity  what it is a table of, the name of the last column
/// @throws InvalidArgument "noise table ..." naming file and line, when it cannot be read, has no such columns, skips
///         or repeats a round or a step, or holds a noise that is not positive and finite
NoiseTable read_table(const std::string& file, std::string_view quantity);

}  // namespace dpbudget::fl
