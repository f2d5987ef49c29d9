/// @file
/// What an answer takes for granted, in words for who has to judge whether it is so.
#pragma once

#include <vector>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {

/// Of a plan: who the neighbours are, what noise is measured against, what each kind of event in it stands for, what
/// the adversary sees, and what is not protected.
std::vector<Entry> assumptions_of(const Plan& plan);

}  // namespace dpbudget::tools
