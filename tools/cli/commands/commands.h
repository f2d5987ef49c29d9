/// @file
/// The commands. Each adds itself to the program and sets the exit status when it runs.
#pragma once

#include "dpbudget/tools/cli/options/command_line.h"

namespace dpbudget::tools {

/// Exit statuses, one a meaning.
inline constexpr int inside_budget = 0;  ///< done, and inside the budget where one was given
inline constexpr int over_budget = 1;    ///< a budget is exceeded, a ledger does not verify, or a claim is unsafe
inline constexpr int bad_input = 2;      ///< the input is wrong, and nothing was written
inline constexpr int diverged = 3;       ///< the training left the range of finite numbers
inline constexpr int cannot_write = 4;   ///< an output cannot be written
inline constexpr int interrupted = 130;  ///< stopped by a signal; all that was done is recorded

/// All of them.
void add_commands(Program& program, int& status);

void add_epsilon(Program& program, int& status);
void add_delta(Program& program, int& status);
void add_rounds(Program& program, int& status);
void add_risk(Program& program, int& status);
void add_frequency(Program& program, int& status);
void add_solve(Program& program, int& status);
void add_dpsgd(Program& program, int& status);
void add_compare(Program& program, int& status);
void add_schedule(Program& program, int& status);
void add_converge(Program& program, int& status);
void add_heterogeneity(Program& program, int& status);
void add_plan(Program& program, int& status);
void add_simulate(Program& program, int& status);
void add_sweep(Program& program, int& status);
void add_tune(Program& program, int& status);
void add_verify(Program& program, int& status);
void add_check(Program& program, int& status);
void add_audit(Program& program, int& status);
void add_eval(Program& program, int& status);
void add_vectors(Program& program, int& status);

}  // namespace dpbudget::tools
