/// @file
/// How many rounds a budget pays for, where how many there are is not known beforehand.
#pragma once

#include <cstdint>
#include <functional>

#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/accounting/sequence/sequence.h"

namespace dpbudget::sequence {

/// The first rounds, of one and the same sequence for every number of them.
using FirstRounds = std::function<Sequence(std::uint64_t rounds)>;

/// As `reach` within ever more rounds, until the budget is exhausted: far beyond that noise may have decayed to next to
/// nothing, which takes accountants long. `best`, which takes long where all rounds are different, is asked only where
/// accountants that go on from round to round leave it open, and about what is found.
/// @param end        how many rounds there are at most
/// @param delta      in (0, 1)
/// @param tolerance  in (0, 1)
/// @param epsilon    in [0, inf)
/// @return Reach::is_whole where the budget pays for all; a refusal when there is no answer for a single round either
Answer<Reach> affordable(const FirstRounds& first, std::uint64_t end, AccountantName name, double delta,
                         double tolerance, double epsilon);

}  // namespace dpbudget::sequence
