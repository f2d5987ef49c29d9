/// @file
/// A curve of answers as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/tools/cli/compare/figures.h"

namespace dpbudget::tools {

/// Upper ends by rounds, one column an accountant, at a dozen numbers of rounds; estimates are marked. Theorems and
/// refusals below.
std::string curve_table(const RoundsCurve& curve);

/// One line for each number of rounds and accountant: rounds, accountant, lower, upper, ln_lower and ln_upper for
/// delta, guarantee, theorem, seconds, refusal.
std::string curve_csv(const RoundsCurve& curve);

nlohmann::json curve_json(const RoundsCurve& curve);

}  // namespace dpbudget::tools
