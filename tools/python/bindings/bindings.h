/// @file
/// What the extension module is made of, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace dpbudget::python {

void add_errors(nanobind::module_& module);
void add_given(nanobind::module_& module);
void add_bound_texts(nanobind::module_& module);
void add_plan(nanobind::module_& module);
void add_events(nanobind::module_& module);
void add_accountant(nanobind::module_& module);
void add_filter(nanobind::module_& module);
void add_running_account(nanobind::module_& module);
void add_solve(nanobind::module_& module);
void add_dpsgd(nanobind::module_& module);
void add_compare(nanobind::module_& module);
void add_eval(nanobind::module_& module);
void add_algorithm(nanobind::module_& module);
void add_program(nanobind::module_& module);

}  // namespace dpbudget::python
