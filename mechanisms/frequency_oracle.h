/// @file
/// What the local randomisers of one of many categories share: how often each category is held, from their reports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dpbudget::mechanisms {

/// The largest epsilon of a local randomiser: up to here e^-epsilon has all digits of a double, so the rare outcomes
/// that the guarantee rests on do happen.
inline constexpr double max_local_epsilon = 700;

/// @throws InvalidArgument naming epsilon, unless in [0, max_local_epsilon]
void require_local_epsilon(double epsilon);

/// For reports that list categories.
/// @throws InvalidArgument naming categories, unless in [2, 2^32)
void require_few_categories(std::uint64_t categories);

/// @throws InvalidArgument naming value, unless below `categories`
void require_category(std::uint64_t value, std::uint64_t categories);

/// A report supports some categories. It supports one that its author holds with probability base + gain, and any
/// other with probability base.
struct Support {
  double base = 0;  ///< in [0, 1)
  double gain = 0;  ///< in [0, 1]; 0 when reports tell nothing
};

/// (supporting / reports - base) / gain, the unbiased estimate of the fraction of users that hold a category. It may
/// be negative or above 1.
///
/// @param supporting  reports that support the category, at most `reports`
/// @param reports     in [1, 2^53]
/// @throws InvalidArgument naming supporting, reports, or the base or gain of `support` outside its range or gain 0
/// @source Wang, Blocki, Li, Jha 2017, "Locally differentially private protocols for frequency estimation", Theorem 1
double frequency(std::uint64_t supporting, std::uint64_t reports, const Support& support);

/// The frequency of every category.
///
/// @param reports     each the categories that it supports, distinct; at least one report
/// @param categories  in [2, 2^32)
/// @throws InvalidArgument naming reports, categories, value (a category that does not exist) or as `frequency`
std::vector<double> frequencies(std::span<const std::vector<std::uint32_t>> reports, std::uint64_t categories,
                                const Support& support);

}  // namespace dpbudget::mechanisms
