/// @file
/// How often a mechanism is run of whose runs the best is kept.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// The mean of that law, to a relative 2^-40.
/// @throws InvalidArgument naming mean, eta or gamma
double mean_number(const Trials& trials);

/// @throws InvalidArgument naming mean, eta or gamma, or the trials where their mean is unknown or above 10^4
void require_drawable(const Trials& trials);

/// A number of that law, by inversion; the probabilities of all numbers are together off by less than 2^-40. Takes time
/// proportional to the number.
/// @throws InvalidArgument as require_drawable
std::uint64_t number_of_trials(const Trials& trials, Stream& stream);

}  // namespace dpbudget::mechanisms
