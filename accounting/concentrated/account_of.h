/// @file
/// Truncated concentrated DP of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/concentrated/tcdp.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::concentrated {

/// A plan's truncated concentrated DP, rounded outwards, and the statements it rests on, innermost first, each once.
struct Account {
  TruncatedCdp tcdp;  ///< rho is infinite where a double cannot hold it
  std::vector<std::string> theorems;
};

/// Truncated concentrated DP of everything `plan` releases:
/// - every leaf but ApproximateDp, Repeated, Composed, Participates: any adjacency;
/// - SampledWithoutReplacement: replace_one, as far as the preconditions of `tcdp_amplify` hold.
/// @throws Unsupported naming the event, the adjacency and what would work, for anything else
/// @throws InvalidArgument when a number of the plan is unknown or out of range
Account account_of(const NormalPlan& plan);

/// `count` adaptive repetitions of what `once` is of.
/// @param count  in [0, 2^53]
Account repeated(std::uint64_t count, const Account& once);

}  // namespace dpbudget::concentrated
