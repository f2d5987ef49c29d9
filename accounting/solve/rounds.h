/// @file
/// The largest number of repetitions of a plan inside a budget.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/accountants/accountant.h"

namespace dpbudget::solve {

/// What an accountant allows.
struct Rounds {
  std::uint64_t rounds;    ///< proven to be inside the budget; 0 when not even a single one is
  bool unbounded = false;  ///< any number up to 2^53 fits
  Bound at_rounds;         ///< epsilon of `rounds` repetitions
  Bound at_next;           ///< epsilon of one more, which is not proven to fit, be it for its delta; infinite when the
                           ///< accountant has no answer; absent (0, 0) when unbounded; its lower end that of
                           ///< `rounds` where it is not expected to be above the budget
  std::optional<std::uint64_t> none_from{};  ///< so many, and more, are proven not to fit; nearly the least such number
                                             ///< where lower ends have a few steps to it, absent where none is known
};

/// Whether it is asked as well from which number on none fits, which takes a few questions more.
enum class Beyond { asked, unasked };

/// The largest count for which the accountant's upper bound on epsilon at `delta` is at most `epsilon`. A count for
/// which it has no answer is outside.
/// @param accountant  of one round
/// @param start       a guess in [0, 2^53): a good one saves time
/// @param epsilon     in [0, inf)
/// @param delta       in [0, 1)
/// @return a refusal when it has no answer for a single repetition
/// Errors as the accountant.
Answer<Rounds> rounds(Accountant& accountant, std::uint64_t start, double epsilon, double delta,
                      Beyond beyond = Beyond::asked);

/// The same with the accountant of that name, started from what the Rényi accountant allows. The answer is inside the
/// budget by the questions epsilon and delta, too, where they are asked about so many rounds alone (alone.h).
Answer<Rounds> rounds(const Plan& plan, AccountantName name, double tolerance, double epsilon, double delta,
                      Beyond beyond = Beyond::asked);

}  // namespace dpbudget::solve
