/// @file
/// From a run to what one client does in one round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/fl/round/records.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The noise multiplier of each local step of released round `number`, from 1, by the run's schedule; none for binomial
/// noise or no noise.
/// @param run    passes `check`
/// @throws InvalidArgument when the schedule has no such round, or leaves the range of double there
std::vector<double> step_noises(const SettledRun& run, const Sizes& sizes, std::uint64_t number);

/// The same of one local step, from 1; nothing where the round has no such step.
std::optional<double> step_noise(const SettledRun& run, const Sizes& sizes, std::uint64_t number, std::uint64_t step);

/// The first released round after `number` whose noises may be others; 2^64 - 1 when they never change again.
/// @param run  passes `check`
std::uint64_t next_noise_change(const SettledRun& run, std::uint64_t number);

/// How coordinates in [-clip, clip] are encoded.
mechanisms::BinomialEncoder encoder_of(const SettledRun& run, double clip_norm);

/// @param clip_norm  of this round; the run's own unless clipping is adaptive
BatchRecipe recipe_of(const SettledRun& run, const Sizes& sizes, std::uint64_t number, double clip_norm);

/// Standard deviation of the noise in a coordinate of the mean that the round's first release is; 0 without noise.
double release_noise_std(const BatchRecipe& recipe);

}  // namespace dpbudget::fl
