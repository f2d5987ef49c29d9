/// @file
/// A ledger as events: what was executed, folded so that an accountant can price it.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/run/adversary.h"

namespace dpbudget::fl {

/// What the whole ledger released about a client of one kind, as `adversary` saw it, over the sampling of users: each
/// round a `participates` node with the round's recorded sampling, around what clients of that kind released in it: the
/// noise recorded, over twice the clipping norm recorded (a whole client) or that divided by the batch (a record, whose
/// sampling then counts).
///
/// The ledger does not show what a client would have done in a round without it. A round in which no client of the kind
/// took part counts as what the others of its kind did in the other rounds. Where they did different things, all of
/// them count together: an upper bound for each. Where the noise is scheduled to change and all that they did is, bit
/// for bit, what the header plans, it counts as planned for that round; so does a round in which its batch, used once,
/// would have been released. A kind that no round drew counts as planned in
/// each of them: the number is over the sampling of users, and does not hang on how it came out.
/// @return nothing without a guarantee, or when no round is recorded
std::optional<Plan> executed_plan(const Ledger& ledger, const Sizes& sizes, Adversary adversary);

/// What the ledger released about a record of `client` against the server, in the rounds in which it took part.
/// @return nothing when one of its releases has no guarantee
std::optional<Plan> realised_plan(const Ledger& ledger, std::uint64_t client);

}  // namespace dpbudget::fl
