/// @file
/// Pictures of what one accountant says of one plan.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget::tools {

/// delta of `count` repetitions against epsilon, from 0 to twice `epsilon`, both ends; nothing where it refuses.
Plot profile_of(Accountant& accountant, std::uint64_t count, double epsilon);

/// epsilon against the number of repetitions, up to about twice `count`, both ends.
Plot growth_of(Accountant& accountant, std::uint64_t count, double delta);

}  // namespace dpbudget::tools
