/// @file
/// --claim: somebody else's number, held against the answer to the same question.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/tools/cli/options/command_line.h"

namespace dpbudget::tools {

/// @param claim  read as a number of at least 0; outlives the command
/// @param of     what is claimed: epsilon or delta
void claim_option(const Command& command, std::optional<double>& claim, const std::string& of);

/// What the claim is found to be. An estimate proves nothing of a claim.
std::string claim_text(double claim, const Bound& found);

/// The line that says so; nothing without one.
std::string verdict_line(const std::optional<double>& claim, const Bound& found);

nlohmann::json verdict_json(double claim, const Bound& found);

/// Whether less is claimed than is proven to be spent.
bool is_unsafe(const std::optional<double>& claim, const Bound& found);

}  // namespace dpbudget::tools
