/// @file
/// A clipping norm that follows a quantile of the gradients' norms, from what is released about them alone.
#pragma once

#include <span>

#include "dpbudget/fl/round/records.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The noisy share of a participant's records whose gradients were within the clipping norm, in the mean over its
/// releases.
/// @param releases  of one participation with adaptive clipping; at least one
double share_below(std::span<const ReleaseRun> releases);

/// The clipping norm of the round after one with norm `clip_norm`: clip_norm exp(-rate (mean share - quantile)). It is
/// computed from what the ledger holds, so that a verifier computes the same.
/// @param run     its clipping is adaptive
/// @param shares  of the round's participants; when there are none the norm stays
/// @source Andrew, Thakkar, McMahan, Ramaswamy 2021, Algorithm 1
double adapted_norm(const SettledRun& run, double clip_norm, std::span<const double> shares);

}  // namespace dpbudget::fl
