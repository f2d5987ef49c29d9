/// @file
/// The plan language: plans as people write them.
///
///     plan   = event [ "under" adjacency ]
///     event  = term { "+" term }                            composition
///     term   = { count ( "x" | "*" ) } factor               repetition
///     factor = name "(" arguments ")" | "(" event ")" | "nothing"
///
/// Names and arguments are those of the events' descriptions (event.h), as `signatures` lists them: reals, counts,
/// rates, draws as `m of n`, numbers of trials as `poisson(mean)`, an event as PLAN, and, after a semicolon unless it
/// stands first, a table of pairs `a:b, c:d`.
///
/// A rate is a number in [0, 1], or exactly `m of n` or `m/n`. A count may have its thousands separated: `14,062 x`.
/// One number may be the unknown `?`. A `#` starts a comment that ends with its line. Text and tree convert without
/// loss.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/plan_text.h"  // IWYU pragma: export

namespace dpbudget {

/// A plan that could not be read. The message is one line that names the column, then the plan's line and a caret.
struct PlanError : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// What a text says: the adjacency is absent when the text does not name one.
struct ParsedPlan {
  Event event;
  std::optional<Adjacency> adjacency;
};

/// @throws PlanError pointing at the column where the text stops being a plan, a number leaves its range, or a second
///         unknown stands
ParsedPlan parse(std::string_view text);

/// @param text  poisson(mean), geometric(gamma) or negative_binomial(eta, gamma)
/// @throws PlanError as `parse`
Trials parse_trials(std::string_view text);

/// The plan in `text`, under `adjacency` if given, else under the one the text names, else under the event's natural
/// adjacency (plan.h).
/// @throws PlanError as `parse`
/// @throws InvalidArgument when `adjacency` contradicts the text, or none is given and the event has no natural one
Plan parse_plan(std::string_view text, std::optional<Adjacency> adjacency = std::nullopt);

/// The same for what has been read already.
Plan plan_of(ParsedPlan parsed, std::optional<Adjacency> adjacency = std::nullopt);

}  // namespace dpbudget
