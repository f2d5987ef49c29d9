/// @file
/// Events that amount to a single Gaussian.
#pragma once

#include <optional>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// Which side of the true value a rounded number must be on.
enum class Rounding { down, up };

/// The noise multiplier of the one Gaussian that an event amounts to when it releases nothing but Gaussians: variances
/// of noise add like 1 / (sum of 1/noise^2), and a group of k records is told like one whose noise is a k-th. Exact for
/// a single Gaussian, else off by a relative 2^-48 for each part, to the side asked for.
/// @return nothing when the event releases anything else, or nothing at all
std::optional<double> gaussian_noise(const Event& event, Rounding rounding);

/// The rate as a double, rounded to the side asked for and within [0, 1]; exact unless it is a fraction that no double
/// holds.
double rounded_rate(const Rate& rate, Rounding rounding);

}  // namespace dpbudget
