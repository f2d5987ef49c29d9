/// @file
/// Shapes of noise as people write them.
#pragma once

#include <string>
#include <string_view>

#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// Reads one of
///
///     constant
///     chang1:beta=B,hold=R        chang2:beta=B,hold=R        (hold 0 when left out)
///     exponential:FACTOR          step:factor=F,every=K
///     csv:FILE                    a table, as `read_noise_table` takes it
///
/// @throws InvalidArgument "schedule ..." naming what is wrong, or as `check` and `read_noise_table`
NoiseShape parse_shape(std::string_view text);

/// The text that parses to `shape`; numbers have as many digits as it takes to read back the same double.
std::string to_text(const NoiseShape& shape);

}  // namespace dpbudget::fl
