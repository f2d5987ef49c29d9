#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/python/bindings/bindings.h"

namespace dpbudget::python {

void add_errors(nanobind::module_& module) {
  const nanobind::object error = nanobind::steal(PyErr_NewExceptionWithDoc(
      "dpbudget._core.Error", "What dpbudget raises, of whatever kind: why there is no answer, in one line.", nullptr,
      nullptr));
  module.attr("Error") = error;
  // What is registered last is tried first: a PlanError is an InvalidArgument.
  const nanobind::exception<InvalidArgument> invalid(module, "InvalidArgument",
                                                     nanobind::make_tuple(error, nanobind::handle(PyExc_ValueError)));
  invalid.attr("__doc__") =
      "An argument outside its documented range. The message names it, what was given, and what is allowed.";
  const nanobind::exception<PlanError> plan(module, "PlanError", invalid);
  plan.attr("__doc__") = "A plan that could not be read. The message names the column, and shows it.";
  const nanobind::exception<Unsupported> unsupported(module, "Unsupported", error);
  unsupported.attr("__doc__") =
      "A question that no implemented theorem answers, though nothing that was given is wrong: an event or adjacency "
      "that the accountant cannot take.";
}

}  // namespace dpbudget::python
