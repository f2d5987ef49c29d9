/// @file
/// Whether this process is one of several that mpirun started.
#pragma once

#include "dpbudget/fl/ranks/ranks.h"

namespace dpbudget::tools {

/// To be called by the program before all else. What runs inside another process, as the Python package may, is alone
/// whoever started that one.
void look_for_launcher();

/// Whether it is one of them other than the first, which prints and writes for all.
bool is_follower();

/// The processes that mpirun started; null where it did not start this one, or this one alone. The library that speaks
/// to them is loaded then, and not before.
/// @throws InvalidArgument when the program was built without it
fl::Ranks* launched_ranks();

}  // namespace dpbudget::tools
