/// @file
/// The commands. Each adds itself to the program and sets the exit status when it runs.
#pragma once

#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/output/exit_status.h"

namespace dpbudget::tools {

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
void add_ledger(Program& program, int& status);
void add_check(Program& program, int& status);
void add_audit(Program& program, int& status);
void add_eval(Program& program, int& status);
void add_vectors(Program& program, int& status);

}  // namespace dpbudget::tools
