/// @file
/// Attacks on what a plan releases.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/audit/attack.h"

namespace dpbudget::fl {

/// Draws the plan's releases, `canaries` of them in each run, each by itself with or without its record by a fair coin,
/// and attacks them by the exact likelihood ratio of the pair of data sets of law.h. All trials are independent. The
/// same request gives the same answer.
/// @throws Unsupported as law_of; InvalidArgument as check(request), or naming runs where more than 2e10 numbers would
/// be drawn
Attacked audit(const Plan& plan, const AuditRequest& request);

/// Canaries of each run, of which as many runs show two thirds of a Gaussian's epsilon.
inline constexpr std::uint64_t most_usual_canaries = 1000;

/// How many canaries serve an audit of so many runs where nobody says: those, or fewer where that takes more than a few
/// seconds, down to 100, or more trials than are allowed.
/// @throws Unsupported as law_of
std::uint64_t usual_canaries(const Plan& plan, std::uint64_t runs);

}  // namespace dpbudget::fl
