/// @file
/// Shapes of noise as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/fl/schedule/shape.h"
#include "dpbudget/fl/schedule/validation.h"

namespace dpbudget::fl {

/// Reads one of
///
///     constant
///     chang1:beta=B,hold=R        chang2:beta=B,hold=R        (hold 0 when left out)
///     exponential:FACTOR          step:factor=F,every=K
///     inverse-sqrt                inverse:A,B             (A / (r + B))
///     table:N;N;...               a number for each round; or one for each step, N,N;N,N;... for two steps a round
///     milestones:factor=F,rounds=R;R;...
///     csv:FILE                    such a table, as `read_table` takes it
///
/// @param quantity  what changes, as such a file names it
/// @throws InvalidArgument "schedule ..." naming what is wrong, or as `check` and `read_table`
NoiseShape parse_shape(std::string_view text, std::string_view quantity = "noise");

/// Reads validation:factor=F,patience=K or validation:factor=F,patience=K,filter=FILTER, where FILTER is gaussian, zcdp
/// or renyi:ORDER.
/// @return nothing where `text` begins otherwise
/// @throws InvalidArgument "schedule ..." naming what is wrong, or as `check`
std::optional<ValidationNoise> validation_of(std::string_view text);

/// The text that parses to `shape` and names no file; numbers have as many digits as it takes to read back the same
/// double.
std::string to_text(const NoiseShape& shape);
/// The same of what `validation_of` reads.
std::string to_text(const ValidationNoise& noise);

/// The file of csv:FILE; nothing for any other text.
std::optional<std::string> file_of(std::string_view text);

/// `text` itself, or where it names a file the table that the file holds now: what a run keeps of its schedule.
/// @throws InvalidArgument as `parse_shape`
std::string without_file(std::string_view text);

}  // namespace dpbudget::fl
