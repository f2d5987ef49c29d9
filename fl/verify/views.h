/// @file
/// What a run cost, planned and executed, as each adversary sees it.
#pragma once

#include <optional>
#include <vector>

#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/verify/executed.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::fl {

/// What was executed cost `adversary`'s victims at `delta`, for the kind of client where it is most.
/// @param everybody  the kinds of clients
/// @return nothing without a guarantee, or before the first round
std::optional<Priced> worst_executed(Execution& execution, Adversary adversary, const std::vector<Sizes>& everybody,
                                     double delta, Pricing& price);

/// One for each adversary.
/// @param with_planned  whether to work out what the header plans, and what is published of it
std::vector<View> views_of(Execution& execution, const std::vector<Sizes>& everybody, bool with_planned,
                           Pricing& price);

}  // namespace dpbudget::fl
