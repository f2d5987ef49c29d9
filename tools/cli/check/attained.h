/// @file
/// Neighbouring data sets that spend what lower bounds say.
#pragma once

#include <string>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// Those behind the lower ends of the accountants, in words: "a record is replaced by its opposite, ...".
std::string attaining_neighbours(const Plan& plan);

}  // namespace dpbudget::tools
