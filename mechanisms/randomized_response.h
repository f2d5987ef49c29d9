/// @file
/// Randomised response: one of k categories, reported truly or as one of the others.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/frequency_oracle.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// `value` with probability e^epsilon / (e^epsilon + categories - 1), and every other category with the same one.
///
/// The coin is exact for a double whose odds are within a factor e^(2^-50) of the formula's: the report is
/// (epsilon + 2^-50)-DP at worst. The other categories are exactly equally likely.
///
/// @param value       below `categories`
/// @param categories  in [2, 2^53]
/// @param epsilon     in [0, 700]
/// @throws InvalidArgument naming value, categories or epsilon, before anything is drawn
/// @source Warner 1965; Kairouz, Oh, Viswanath 2016, "Extremal mechanisms for local differential privacy"
std::uint64_t randomized_response(std::uint64_t value, std::uint64_t categories, double epsilon, Stream& stream);

/// @return what one call of randomized_response with these arguments amounts to
/// @throws InvalidArgument naming categories or epsilon
RandomizedResponse randomized_response_event(std::uint64_t categories, double epsilon);

/// @return how a report supports the category it names
/// @throws InvalidArgument naming categories or epsilon
Support randomized_response_support(std::uint64_t categories, double epsilon);

}  // namespace dpbudget::mechanisms
