/// @file
/// The plan language: plans as people write them.
///
///     plan   = event [ "under" adjacency ]
///     event  = term { "+" term }                            composition
///     term   = { count ( "x" | "*" ) } factor               repetition
///     factor = name "(" arguments ")" | "(" event ")" | "nothing"
///
///     gaussian(noise)   laplace(scale)   discrete_gaussian(noise)   rr(epsilon [, categories])
///     pure(epsilon)     approximate(epsilon, delta)
///     poisson(rate, event)   wor(rate, event)   participates(rate, event)   shuffle(reports, event [, records])
///     with_replacement(m of n, event)   random_allocation(steps, event)
///     mixture(noise; probability:offset, ...)
///
/// A rate is a number in [0, 1], or exactly `m of n` or `m/n`. A count may have its thousands separated: `14,062 x`.
/// One number may be the unknown `?`. A `#` starts a comment that ends with its line. Text and tree convert without
/// loss.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dpbudget/accounting/plan/plan.h"

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

/// The plan in `text`, under `adjacency` if given, else under the one the text names, else under the event's natural
/// adjacency (plan.h).
/// @throws PlanError as `parse`
/// @throws InvalidArgument when `adjacency` contradicts the text, or none is given and the event has no natural one
Plan parse_plan(std::string_view text, std::optional<Adjacency> adjacency = std::nullopt);

/// The same for what has been read already.
Plan plan_of(ParsedPlan parsed, std::optional<Adjacency> adjacency = std::nullopt);

/// Every event that has a name, with the names of its arguments: "gaussian(noise), ..., poisson(rate, PLAN), ...".
std::string signatures();

/// The text that parses to `event`. Numbers have as many digits as it takes to read back the same double.
std::string to_text(const Event& event);

/// The same cut to 60 characters, for messages.
std::string shortened_text(const Event& event);

/// The text of the event followed by "under" and the adjacency.
std::string to_text(const Plan& plan);

}  // namespace dpbudget
