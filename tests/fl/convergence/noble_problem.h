/// @file
/// A run whose every term counts, for the bounds of Noble et al.
#pragma once

#include "dpbudget/fl/convergence/noble.h"

namespace dpbudget::fl {

inline NobleRun twelve_users() {
  return {.smoothness = 2,
          .gradient_variance = 0.9,
          .clip_norm = 0.7,
          .noise_multiplier = 1.5,
          .dimension = 5,
          .users = 12,
          .participants = 4,
          .batch = 10,
          .local_steps = 6};
}

inline constexpr Dissimilarity dissimilar{.offset = 1.3, .factor = 1.7};

}  // namespace dpbudget::fl
