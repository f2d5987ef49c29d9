#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// What both questions are given.
struct Question {
  Plan plan;
  AccountantName name;
  double tolerance;
  double epsilon;
  double delta;
};

Question question(const GivenPlan& plan, const GivenNumber& epsilon, const GivenNumber& delta,
                  const GivenText& accountant, const GivenNumber& tolerance, const GivenOptionalText& adjacency) {
  return {read_plan(plan, adjacency), read_accountant(accountant), tolerance.read("tolerance"), epsilon.read("epsilon"),
          delta.read("delta")};
}

// rounds, unbounded, at_rounds, at_next, none_from
using Rounds = std::tuple<std::uint64_t, bool, Bound, std::optional<Bound>, std::optional<std::uint64_t>>;

Rounds rounds(const Question& asked) {
  require_known(asked.plan.event);
  solve::Rounds found = solve::rounds(asked.plan, asked.name, asked.tolerance, asked.epsilon, asked.delta).value();
  std::optional<Bound> next;
  if (!found.unbounded) next = std::move(found.at_next);
  return {found.rounds, found.unbounded, std::move(found.at_rounds), std::move(next), found.none_from};
}

// value, every_value, at_value, explanation, the plan with the value in it
using Solution = std::tuple<std::optional<double>, bool, std::optional<Bound>, std::string, std::optional<ParsedPlan>>;

Solution unknown(const Question& asked) {
  solve::Solution found = solve::unknown(asked.plan, asked.name, asked.tolerance, asked.epsilon, asked.delta).value();
  if (!found.value) return {std::nullopt, found.every_value, std::nullopt, std::move(found.explanation), std::nullopt};
  return {found.value, found.every_value, std::move(found.at_value), std::move(found.explanation),
          ParsedPlan{substitute(asked.plan.event, *found.value), asked.plan.adjacency}};
}

template <class Solve>
void add(nb::module_& module, const char* name, Solve solve, const char* documentation) {
  module.def(
      name,
      [solve](const GivenPlan& plan, const GivenNumber& epsilon, const GivenNumber& delta, const GivenText& accountant,
              const GivenNumber& tolerance, const GivenOptionalText& adjacency) {
        const Question asked = question(plan, epsilon, delta, accountant, tolerance, adjacency);
        const Released released;
        return solve(asked);
      },
      nb::arg("plan").none(), nb::arg("epsilon").none(), nb::arg("delta").none(), nb::arg("accountant").none(),
      nb::arg("tolerance").none(), nb::arg("adjacency").none(), documentation);
}

}  // namespace

void add_solve(nb::module_& module) {
  add(module, "rounds", &rounds, "rounds, unbounded, epsilon there and with one more, and a number that does not fit");
  add(module, "solve", &unknown, "value, every_value, epsilon there, explanation, and the plan with the value in it");
}

}  // namespace dpbudget::python
