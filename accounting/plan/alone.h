/// @file
/// Compositions of one release.
#pragma once

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// What `event` composes if that is one release, itself no composition of one: `event` where it composes none or
/// several.
const Event& alone(const Event& event);

}  // namespace dpbudget
