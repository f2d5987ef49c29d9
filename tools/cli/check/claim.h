/// @file
/// What somebody else says that a plan spends.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// Rényi divergences that somebody's table says a run has: (order, epsilon of that order), any number of orders.
using RenyiTable = std::vector<std::pair<double, double>>;

struct Claim {
  std::string name;
  std::variant<Plan, RenyiTable> of;
  double epsilon;
  double delta;
};

/// Reads
///
///     {"claim": NAME, "epsilon": E, "delta": D, "adjacency": A, ONE OF}
///
/// ONE OF  "plan": a plan in the plan language or as JSON; "dp_event": what DpEvent.to_named_tuple() of dp_accounting
///         holds, member by member; "opacus": the history of an Opacus accountant, [noise_multiplier, sample_rate,
///         steps] each, or its state_dict; "rounds": a CSV file with the columns noise, rate and, where wanted, count:
///         Gaussian noise on Poisson samples; "renyi": [order, epsilon] each
///
/// "claim" may be left out, as "adjacency" where the plan says it or needs but one (plan.h); what Opacus records and
/// rounds are is under add_or_remove_one.
///
/// @param unnamed  what a claim without a name is called
/// @param folder   where the file of "rounds" is looked for
/// @throws InvalidArgument naming the key, what stands there and what is allowed
Claim claim_from(const nlohmann::ordered_json& json, const std::string& unnamed, const std::string& folder);

}  // namespace dpbudget::tools
