/// @file
/// The commands. Each adds itself to the program and sets the exit status when it runs.
#pragma once

#include <CLI/CLI.hpp>

namespace dpbudget::tools {

/// Exit statuses.
inline constexpr int inside_budget = 0;  ///< done, and inside the budget where one was given
inline constexpr int over_budget = 1;    ///< a budget is exceeded, or a ledger does not verify
inline constexpr int bad_input = 2;      ///< the input is wrong and nothing was written, or an output cannot be written
inline constexpr int interrupted = 130;  ///< stopped by a signal; all that was done is recorded

void add_epsilon(CLI::App& program, int& status);
void add_delta(CLI::App& program, int& status);
void add_rounds(CLI::App& program, int& status);
void add_solve(CLI::App& program, int& status);
void add_compare(CLI::App& program, int& status);
void add_schedule(CLI::App& program, int& status);
void add_plan(CLI::App& program, int& status);
void add_simulate(CLI::App& program, int& status);
void add_verify(CLI::App& program, int& status);
void add_eval(CLI::App& program, int& status);

}  // namespace dpbudget::tools
