#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/cli/compare/comparison.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// accountant, found, refusal, seconds
using Line = std::tuple<std::string, nb::object, std::string, double>;

// The answers, and the table that the program prints.
struct Compared {
  std::vector<tools::Answer> answers;
  std::string table;
};

Compared compared(const Plan& plan, const tools::Question& question, std::uint64_t count, double tolerance) {
  question.wants_epsilon ? ranges::delta_from_zero(question.given) : ranges::epsilon(question.given);
  require_known(plan.event);
  std::vector<tools::Answer> answers = tools::ranked(tools::Comparison(plan, tolerance).ask(question, count));
  std::string table = tools::comparison_table(question, answers);
  return {std::move(answers), std::move(table)};
}

nb::object found_in(const tools::Answer& answer, bool wants_epsilon) {
  if (!answer.found) return nb::none();
  return wants_epsilon ? to_python(answer.found->bound) : to_python(*answer.found);
}

}  // namespace

void add_compare(nb::module_& module) {
  module.def(
      "compare",
      [](const GivenPlan& given, bool wants_epsilon, const GivenNumber& at, const GivenInteger& count,
         const GivenNumber& tolerance, const GivenOptionalText& adjacency) {
        const Plan plan = read_plan(given, adjacency);
        const tools::Question question{wants_epsilon, at.read(wants_epsilon ? "delta" : "epsilon")};
        const std::uint64_t repetitions = count.read("count");
        const double width = tolerance.read("tolerance");
        Compared answer = [&] {
          const Released released;
          return compared(plan, question, repetitions, width);
        }();
        std::vector<Line> lines;
        for (tools::Answer& one : answer.answers)
          lines.emplace_back(to_string(one.accountant), found_in(one, wants_epsilon), std::move(one.refusal),
                             one.seconds);
        return std::pair(std::move(lines), std::move(answer.table));
      },
      nb::arg("plan").none(), nb::arg("wants_epsilon"), nb::arg("given"), nb::arg("count").none(),
      nb::arg("tolerance").none(), nb::arg("adjacency").none(),
      nb::sig(
          "def compare(plan: Plan | str | collections.abc.Mapping[str, typing.Any], wants_epsilon: bool, given: float, "
          "count: int, tolerance: float, adjacency: str | None) -> "
          "tuple[list[tuple[str, typing.Any, str, float]], str]"),
      "accountant, bound or None, refusal and seconds of each, the tightest first; and a table for people");
}

}  // namespace dpbudget::python
