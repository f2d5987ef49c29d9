#include "dpbudget/tools/cli/commands/commands.h"

namespace dpbudget::tools {

void add_commands(Program& program, int& status) {
  add_epsilon(program, status);
  add_delta(program, status);
  add_rounds(program, status);
  add_risk(program, status);
  add_frequency(program, status);
  add_solve(program, status);
  add_dpsgd(program, status);
  add_compare(program, status);
  add_schedule(program, status);
  add_converge(program, status);
  add_heterogeneity(program, status);
  add_plan(program, status);
  add_simulate(program, status);
  add_sweep(program, status);
  add_tune(program, status);
  add_verify(program, status);
  add_ledger(program, status);
  add_check(program, status);
  add_audit(program, status);
  add_eval(program, status);
  add_vectors(program, status);
}

}  // namespace dpbudget::tools
