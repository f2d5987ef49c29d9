/// @file
/// What other libraries record of a run, as events.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// @param tuple      DpEvent.to_named_tuple(), member by member: "class_name" and its fields
/// @param adjacency  under replace_one the noise multipliers of a DpEvent are relative to the largest norm of a
///                   contribution, which is half the sensitivity
/// @throws InvalidArgument naming a class or field that has no counterpart or is out of range
Event event_of_dp_accounting(const nlohmann::ordered_json& tuple, Adjacency adjacency);

/// @param recorded  [[noise_multiplier, sample_rate, steps], ...], or an object that has them as its "history". Opacus
///                  takes batches for Poisson samples; zero noise tells everything about one
/// @throws InvalidArgument naming what is out of range
Event event_of_opacus(const nlohmann::ordered_json& recorded);

/// @param file  CSV with the columns noise, rate and, where wanted, count: that many rounds, in order
/// @throws InvalidArgument naming the file, and where there are any the line and the column
Event event_of_rounds(const std::string& file);

}  // namespace dpbudget::tools
