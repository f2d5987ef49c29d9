/// @file
/// What an algorithm's plans cost: as published, by the paper's own arithmetic, and as proven, by the accountant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/papers/claims.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// epsilon of the whole run at price.delta(), warm-start rounds included. A claim that is an estimate is evaluated as
/// its paper does, any other by the best accountant of its plan.
/// @throws InvalidArgument as `plan`, or when there is no such claim
Bound claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis, Pricing& price);

/// The largest number of training rounds for which that is at most `epsilon`, warm-start rounds (taken from `run`) paid
/// first; 0 when none fits. A claim may hold for many rounds only: it is then looked for up to run.rounds.
/// @param epsilon  in [0, inf)
/// @throws InvalidArgument as `plan`, or when there is no such claim for one round nor for run.rounds
std::uint64_t claimed_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis,
                             double epsilon, Pricing& price);

/// Why there is no plan on that basis, in words; meant for where `plan` has none.
std::string why_no_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis);

/// What the algorithm's paper states of the run besides, at the run's delta.
std::vector<Stated> also_stated(const SettledRun& run, const Sizes& sizes, Adversary adversary);

/// The noise multiplier that the paper prescribes for (epsilon, the run's delta); nothing where it prescribes none.
std::optional<double> prescribed_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon);

}  // namespace dpbudget::fl
