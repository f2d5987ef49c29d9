/// @file
/// The noise that a run asks for.
#pragma once

#include <functional>
#include <vector>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The kinds of clients of a run.
using KindsOf = std::function<std::vector<Sizes>(const SettledRun&)>;

/// `request` with the smallest noise multiplier found for which all its released rounds are proven to cost at most its
/// epsilon at its delta, against its adversary, for the kind of client that pays most. Found to a relative 1e-12 of
/// what the best accountant proves (which jumps by up to its tolerance), and certified for every kind at the value
/// itself. A request that does not ask for its noise stays what it is.
/// @throws InvalidArgument as `with_some_noise`, `settle(request)` and `check(run, sizes)`; naming noise when
///         nothing is proven against the adversary, or epsilon when it decides no noise
RunRequest with_least_noise(const RunRequest& request, const KindsOf& kinds_of);

}  // namespace dpbudget::fl
