/// @file
/// How many shuffled reports a plan has room for.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::solve {

/// The largest number of reports that the unknown of `event` may stand for: a shuffle inside a sample of m records has
/// no more of them than the sample has records for; 2^53 where nothing limits it, or the unknown stands for something
/// else.
std::uint64_t most_reports(const Event& event);

}  // namespace dpbudget::solve
