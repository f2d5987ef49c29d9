/// @file
/// What the loss distributions of single releases rest on, and what has none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {

/// The theorems that a node or leaf rests on under that adjacency; none where the definition suffices.
std::vector<std::string> theorems_of(const Event& event, Adjacency adjacency);

/// @throws Unsupported naming `event` and what would work instead, when a sampling scheme is not analysed under the
///         adjacency or an event has no loss distribution
/// @param accountant  the name of the one that refuses
void require_theorem(const Event& event, Adjacency adjacency, std::string_view accountant);

/// @throws Unsupported, always: of `event` a bound on moments is all that is known
[[noreturn]] void refuse_without_pair(std::string_view accountant, const Event& event, Adjacency adjacency);

}  // namespace dpbudget::loss_distribution
