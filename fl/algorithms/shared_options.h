/// @file
/// Options that several algorithms have in common: theirs derive from these.
#pragma once

#include <optional>
#include <tuple>

#include "dpbudget/fl/run/option.h"

namespace dpbudget::fl {

/// The runner makes Round::step_size of it.
struct StepOption {
  double step = 1;  ///< [eta_0] positive: the local step size is eta_0 / (s K), or eta_0 itself

  static auto options() {
    return std::tuple(option(&StepOption::step, "step",
                             "eta_0: the local step size is eta_0 / (s K) for fedavg, fedsgd and scaffold, where "
                             "batch_size gives each client an s of its own, else eta_0",
                             range::positive));
  }
};

struct RadiusOption {
  std::optional<double> radius;  ///< positive: models stay in the ball about zero; nothing: anywhere

  static auto options() {
    return std::tuple(option(&RadiusOption::radius, "radius", "models are projected on the ball of this radius about 0",
                             range::positive));
  }
};

}  // namespace dpbudget::fl
