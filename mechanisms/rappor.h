/// @file
/// Basic one-time RAPPOR: one of k categories as k bits, each turned over with some probability.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/frequency_oracle.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// Of the k bits of which only that of `value` is one, each is turned over with probability 1 / (1 + e^(epsilon/2)).
///
/// Rounding moves the logarithm of a coin's odds by at most 2^-50, and two coins count. Takes time proportional to the
/// categories.
///
/// @param value       below `categories`
/// @param categories  in [2, 2^32)
/// @param epsilon     in [0, 700]
/// @return the categories whose bit is one, ascending
/// @throws InvalidArgument naming value, categories or epsilon, before anything is drawn
/// @source Erlingsson, Pihur, Korolova 2014, "RAPPOR: randomized aggregatable privacy-preserving ordinal response",
///         section 3.2
std::vector<std::uint32_t> rappor(std::uint64_t value, std::uint64_t categories, double epsilon, Stream& stream);

/// @return what one call of `rappor` amounts to
/// @throws InvalidArgument naming categories or epsilon
Rappor rappor_event(std::uint64_t categories, double epsilon);

/// @return how a report supports the categories whose bit is one; for `frequencies`
/// @throws InvalidArgument naming epsilon
Support rappor_support(double epsilon);

}  // namespace dpbudget::mechanisms
