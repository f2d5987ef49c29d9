/// @file
/// A ledger as events: what was executed, folded so that an accountant can price it.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/adversary.h"
#include "dpbudget/fl/ledger.h"

namespace dpbudget::fl {

/// What neighbouring data sets differ in.
enum class Protects { record, client };

/// What one participation released about one record of the client, or about the whole client: the noise recorded, over
/// twice the clipping norm recorded (a whole client) or that divided by the batch (a record, whose sampling then
/// counts).
/// @return nothing when a release has no guarantee, or its record makes no sense as a mechanism
std::optional<Event> event_of(const Participation& participation, Protects protects);

/// @return whether a client with `records` records has a participation
bool took_part(const Ledger& ledger, std::uint64_t records);

/// What the whole ledger released about a client with `records` records, over the sampling of users: each round a
/// `participates` node with the users drawn in that round, around what clients of that size released in it.
///
/// The ledger does not show what a client would have done in a round without it. A round in which no client of the size
/// took part counts as what the others of its size did in the other rounds. Where they did different things, which no
/// run of this simulator does, all of them count together: an upper bound for each.
/// @return nothing without a guarantee, or when no client of the size took part at all
std::optional<Plan> executed_plan(const Ledger& ledger, std::uint64_t records, Protects protects);

/// What the ledger released about a record of `client`, in the rounds in which it took part.
/// @return nothing when one of its releases has no guarantee
std::optional<Plan> realised_plan(const Ledger& ledger, std::uint64_t client);

}  // namespace dpbudget::fl
