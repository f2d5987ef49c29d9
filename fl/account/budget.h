/// @file
/// How many rounds of a run a budget pays for.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The most training rounds, at most run.rounds, whose proven epsilon at run.delta is at most `epsilon` for the
/// client that spends most, against run.budget_for.
/// @param run        adds noise
/// @param everybody  the kinds of clients
/// @return 0 when not even one round fits
/// @throws InvalidArgument as check(run, sizes)
std::uint64_t affordable_rounds(const SettledRun& run, const std::vector<Sizes>& everybody, double epsilon);

/// `run` with as many rounds as its own budget pays for; unchanged without one.
/// @param everybody  the kinds of clients
/// @throws InvalidArgument naming epsilon when it pays for none
SettledRun within_budget(const SettledRun& run, const std::vector<Sizes>& everybody);

/// What is executed when `request` is asked for: with the noise that it or its silos' own budgets ask for, and with as
/// many rounds as its budget pays for. What a settled run has `written` settles to that run.
/// @param clients    how many records each holds
/// @param dimension  of the model
/// @throws InvalidArgument as `with_least_noise`, `settle(request)`, `calibrated` and `within_budget`;
///         naming silo_noise when the rounds left cost a silo more than all would have
SettledRun settle(const RunRequest& request, const std::vector<std::uint64_t>& clients, std::uint64_t dimension);

}  // namespace dpbudget::fl
