/// @file
/// Subset selection: one of k categories, reported as a random set of d of them.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/frequency_oracle.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// The size of best accuracy, up to rounding, as plans have it (accounting/plan/told_response.h).
///
/// @param categories  in [2, 2^32)
/// @param epsilon     in [0, 700]
/// @throws InvalidArgument naming categories or epsilon
/// @source Ye, Barg 2018, "Optimal schemes for discrete distribution estimation under locally differential privacy"
std::uint64_t best_subset_size(std::uint64_t categories, double epsilon);

/// A set of `subset_size` categories, ascending: every set with `value` in it is e^epsilon times as likely as every set
/// without.
///
/// Rounding moves the logarithm of these odds by at most 2^-49. Takes time proportional to the categories.
///
/// @param value        below `categories`
/// @param categories   in [2, 2^32)
/// @param subset_size  in [1, categories - 1]
/// @param epsilon      in [0, 700]
/// @throws InvalidArgument naming value, categories, subset_size or epsilon, before anything is drawn
/// @source Ye, Barg 2018; Wang et al. 2016, "Mutual information optimally local private discrete distribution
///         estimation"
std::vector<std::uint32_t> subset_selection(std::uint64_t value, std::uint64_t categories, std::uint64_t subset_size,
                                            double epsilon, Stream& stream);

/// @return what one call of subset_selection amounts to
/// @throws InvalidArgument naming categories, subset_size or epsilon
SubsetSelection subset_selection_event(std::uint64_t categories, std::uint64_t subset_size, double epsilon);

/// @return how a report supports the categories in it; for `frequencies`
/// @throws InvalidArgument naming categories, subset_size or epsilon
Support subset_selection_support(std::uint64_t categories, std::uint64_t subset_size, double epsilon);

}  // namespace dpbudget::mechanisms
