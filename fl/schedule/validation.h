/// @file
/// Noise that follows how well the models released so far do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/accounting/filter/filter.h"
#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// The noise (not its square) is multiplied by `factor` whenever `patience` errors one after the other were none of
/// them below all before. It is chosen by what was released, so that no composition of noises fixed in advance says
/// what it costs: a filter does.
struct ValidationNoise {
  double factor;                          ///< in (0, inf)
  std::uint64_t patience;                 ///< in [1, 2^53]
  std::optional<filter::Measure> filter;  ///< what is added up, in advance; nothing while it is to be chosen
};

/// Of the model after a round, on records that everybody may know.
struct ValidationError {
  std::uint64_t round;  ///< released so far, from 0
  double error;         ///< smaller is better
};

/// The noise by what is known after the last of `errors`: each milestone is the round after an error.
/// @param errors  in order of their rounds, finite
Milestones followed(const ValidationNoise& noise, const std::vector<ValidationError>& errors);

/// @throws InvalidArgument naming factor, patience or order, the first that is outside its range
void check(const ValidationNoise& noise);

}  // namespace dpbudget::fl
