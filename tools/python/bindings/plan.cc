#include "dpbudget/accounting/plan/plan.h"

#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/plan/unknown_kind.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/given.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

std::string text_of(const ParsedPlan& plan) {
  return plan.adjacency ? to_text(Plan{plan.event, *plan.adjacency}) : to_text(plan.event);
}

// The one adjacency that two plans name, if any.
std::optional<Adjacency> common(const std::optional<Adjacency>& a, const std::optional<Adjacency>& b) {
  if (a && b && *a != *b)
    throw InvalidArgument(
        fmt::format("the plans are under {} and under {}, but must be under the same", to_string(*a), to_string(*b)));
  return a ? a : b;
}

ParsedPlan under(const ParsedPlan& plan, const GivenText& adjacency) {
  return {plan.event, plan_of(plan, adjacency_of(adjacency.read("adjacency"))).adjacency};
}

void append(std::vector<Event>& parts, const Event& event) {
  if (const auto* sum = std::get_if<Composed>(&event))
    parts.insert(parts.end(), sum->parts.begin(), sum->parts.end());
  else
    parts.push_back(event);
}

ParsedPlan sum_of(const std::vector<ParsedPlan>& plans) {
  std::vector<Event> parts;
  std::optional<Adjacency> adjacency;
  for (const ParsedPlan& plan : plans) {
    append(parts, plan.event);
    adjacency = common(adjacency, plan.adjacency);
  }
  return {compose(std::move(parts)), adjacency};
}

// sum() begins with the integer 0.
bool is_zero(nb::handle object) { return nb::isinstance<nb::int_>(object) && PyObject_IsTrue(object.ptr()) == 0; }

ParsedPlan added(const ParsedPlan& plan, const GivenPlan& other) {
  return is_zero(other.object) ? plan : sum_of({plan, other.read("plan")});
}

ParsedPlan added_to(const ParsedPlan& plan, const GivenPlan& other) {
  return is_zero(other.object) ? plan : sum_of({other.read("plan"), plan});
}

ParsedPlan repeated(const ParsedPlan& plan, const GivenCount& count) {
  Event event = Repeated{count.read("count"), plan.event};
  check(event);
  return {std::move(event), plan.adjacency};
}

}  // namespace

void add_plan(nb::module_& module) {
  nb::class_<ParsedPlan>(module, "Plan", R"doc(What is released, and which neighbours it must not tell apart.

Made from the plan language ("100 x poisson(0.01, gaussian(1.1))"), from its JSON as text or mapping, by the functions
named as in the language, and by `100 * plan` and `plan + plan`. Immutable; equal when the same is written; may be
hashed, pickled and shared between threads.

Raises PlanError where text stops being a plan, InvalidArgument naming the number that is outside its range.)doc")
      .def(
          "__init__",
          [](ParsedPlan* self, const GivenPlan& plan, const GivenOptionalText& adjacency) {
            ParsedPlan read = plan.read("plan");
            if (!adjacency.object.is_none()) read = under(read, GivenText{adjacency.object});
            new (self) ParsedPlan(std::move(read));
          },
          nb::arg("plan").none(), nb::arg("adjacency") = nb::none(),
          nb::sig("def __init__(self, plan: Plan | str | collections.abc.Mapping[str, typing.Any], "
                  "adjacency: str | None = None) -> None"))
      .def_prop_ro(
          "adjacency", [](const ParsedPlan& plan) { return std::string(to_string(plan_of(plan).adjacency)); },
          R"doc(The adjacency that the plan names, else the one under which its sampling is analysed.

Raises InvalidArgument where it names none and mixes sampling that is analysed under different ones.)doc")
      .def(
          "under", &under, nb::arg("adjacency"),
          R"doc(The same under add_or_remove_one, replace_one or zero_out_one. Noise keeps its number: it is now relative to
the sensitivity under that adjacency.

Raises InvalidArgument when the plan names another.)doc")
      .def_prop_ro(
          "unknown",
          [](const ParsedPlan& plan) -> std::optional<std::string> {
            const auto kind = unknown_kind(plan.event);
            if (!kind) return std::nullopt;
            return std::string(to_string(*kind));
          },
          "What the `?` of the plan stands for: count, noise, scale, rate, epsilon, delta or reports; None without "
          "one.")
      .def_prop_ro(
          "pure_epsilon",
          [](const ParsedPlan& plan) {
            const Plan whole = plan_of(plan);
            require_known(whole.event);
            return pure_epsilon(whole.event, whole.adjacency);
          },
          R"doc(An epsilon for which the plan is epsilon-DP, with a delta of 0: proven, rounded up. Infinity when none is
known, as for Gaussians. Sources: Dwork, Roth 2014, Theorem 3.16; Balle, Barthe, Gaboardi 2018, Theorems 8 and 9.

Raises InvalidArgument when a number is unknown.)doc")
      .def(
          "at",
          [](const ParsedPlan& plan, const GivenNumber& value) {
            return ParsedPlan{substitute(plan.event, value.read("value")), plan.adjacency};
          },
          nb::arg("value"), R"doc(The plan with `value` in the place of its `?`.

Raises InvalidArgument when the value is outside the range of what it stands for.)doc")
      .def(
          "json", [](const ParsedPlan& plan) { return to_json(plan_of(plan)).dump(); },
          "The plan as JSON text, adjacency included: the same tree without loss.")
      .def("__str__", &text_of)
      .def("__repr__", [](const ParsedPlan& plan) { return fmt::format("Plan('{}')", text_of(plan)); })
      .def("__hash__", [](const ParsedPlan& plan) { return std::hash<std::string>()(text_of(plan)); })
      .def(
          "__eq__",
          [](const ParsedPlan& plan, nb::handle other) {
            if (!nb::isinstance<ParsedPlan>(other)) return false;
            const auto& that = nb::cast<const ParsedPlan&>(other);
            return plan.event == that.event && plan.adjacency == that.adjacency;
          },
          nb::arg("other").none())
      .def("__add__", &added, nb::arg("other"), nb::is_operator())
      .def("__radd__", &added_to, nb::arg("other"), nb::is_operator(),
           nb::sig("def __radd__(self, other: Plan | str | collections.abc.Mapping[str, typing.Any] | int) -> Plan"))
      .def("__mul__", &repeated, nb::arg("count"), nb::is_operator())
      .def("__rmul__", &repeated, nb::arg("count"), nb::is_operator())
      .def("__getstate__", &text_of)
      .def("__setstate__", [](ParsedPlan& plan, const std::string& text) { new (&plan) ParsedPlan(parse(text)); })
      // NumPy's numbers shall not take a plan for an array's element.
      .attr("__array_ufunc__") = nb::none();

  module.def(
      "compose",
      [](const nb::iterable& plans) {
        std::vector<ParsedPlan> read;
        for (const nb::handle plan : plans) read.push_back(ReadPlan::read(plan, "plan"));
        return sum_of(read);
      },
      nb::arg("plans"),
      nb::sig("def compose(plans: collections.abc.Iterable[Plan | str | collections.abc.Mapping[str, typing.Any]]) -> "
              "Plan"),
      "The composition of all plans: what `+` gives, for thousands of them in linear time. Of none, it is `nothing`.");
  module.attr("nothing") = nb::cast(ParsedPlan{Composed{}, std::nullopt});
}

}  // namespace dpbudget::python
