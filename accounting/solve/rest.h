/// @file
/// What a plan releases beside the number that is looked for.
#pragma once

#include <optional>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::solve {

/// What `event` composes but for the parts that have an unknown: to leave out a part is post-processing, so that no
/// value makes the plan cost less.
/// @return nothing where there is no other part
std::optional<Event> rest_of(const Event& event);

}  // namespace dpbudget::solve
