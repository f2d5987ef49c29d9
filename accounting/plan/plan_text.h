/// @file
/// What is written of a plan, in the plan language (language.h).
#pragma once

#include <string>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget {

/// Every event that has a name, with the names of its arguments: "gaussian(noise), ..., poisson(rate, PLAN), ...".
std::string signatures();

/// The text that parses to `event`. Numbers have as many digits as it takes to read back the same double.
std::string to_text(const Event& event);

/// The same cut to 60 characters, for messages.
std::string shortened_text(const Event& event);

/// The text of the event followed by "under" and the adjacency.
std::string to_text(const Plan& plan);

}  // namespace dpbudget
