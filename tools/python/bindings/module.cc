#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/version.h"

// NOLINTNEXTLINE(readability-identifier-naming): the macro's own names
NB_MODULE(_core, module) {
  using namespace dpbudget::python;
  module.attr("version") = nanobind::str(dpbudget::version.data(), dpbudget::version.size());
  add_errors(module);
  add_given(module);
  add_bound_texts(module);
  add_plan(module);
  add_events(module);
  add_accountant(module);
  add_running_account(module);
  add_filter(module);
  add_solve(module);
  add_dpsgd(module);
  add_compare(module);
  add_eval(module);
  add_algorithm(module);
  add_program(module);
}
