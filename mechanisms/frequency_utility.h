/// @file
/// How well frequencies are estimated from the reports of randomised response and of frequency oracles.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/frequency_oracle.h"

namespace dpbudget::mechanisms {

/// How a report supports categories. Subsets and bits support those that are in them or set, columns of a Hadamard
/// matrix those whose row has a 1 there.
/// @param local  of a known epsilon in [0, 700]
/// @return nothing unless it is randomised response or a frequency oracle
/// @throws InvalidArgument naming epsilon, categories or subset_size outside its range
std::optional<Support> support_of(const Event& local);

/// The variance of `frequency`, over the randomness of the reports: (f p (1-p) + (1-f) q (1-q)) / (reports gain^2),
/// q = base, p = base + gain. Infinite where gain is 0.
/// @param reports  in [1, 2^53]
/// @param held     f, the share of the users who hold the category, in [0, 1]
/// @throws InvalidArgument naming reports or held
/// @source Wang, Blocki, Li, Jha 2017, Theorem 2
double frequency_variance(const Support& support, std::uint64_t reports, double held);

}  // namespace dpbudget::mechanisms
