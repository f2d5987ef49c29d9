/// @file
/// Compositions in which one rare loss, larger than all others together, decides.
#pragma once

#include <optional>
#include <vector>

#include "dpbudget/accounting/loss_distribution/moments.h"

namespace dpbudget::loss_distribution {

/// An end of what one large loss beside many small ones makes of a composition, as far as that is all that matters.
struct RareLoss {
  double value;      ///< log delta or epsilon, on the parts' side
  double looseness;  ///< how far it is from what these parts have, at most and about: of delta or epsilon, relatively
};

/// Where large losses are as rare as their delta, transforms fail: the tilt that raises them from the rounding raises
/// those that are far larger and far rarer still more. Here they are counted, none, one, or more of them: none is left
/// to Chernoff, one is a sum over its losses, and more have next to no mass.
/// @param parts    at least one, on the same mesh and side
/// @param epsilon  at least 0
/// @return nothing where more than one counts, or where delta is so large that transforms show it
std::optional<RareLoss> rare_log_delta(const std::vector<Part>& parts, double epsilon);

/// The same where delta is given.
/// @param delta  in (0, 1)
std::optional<RareLoss> rare_epsilon(const std::vector<Part>& parts, double delta);

}  // namespace dpbudget::loss_distribution
