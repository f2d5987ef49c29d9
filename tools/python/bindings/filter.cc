#include "dpbudget/accounting/filter/filter.h"

#include <mutex>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

filter::Measure measure_of(const std::string& name, const nb::object& order) {
  if (name == "renyi") {
    require(!order.is_none(), "order", "left out", "given beside measure renyi");
    return filter::AtOrder{GivenNumber{order}.read("order")};
  }
  require(order.is_none(), "order", "given", "left out beside measure " + name);
  if (name == "zcdp") return filter::ZeroConcentrated{};
  if (name == "gaussian") return filter::Gaussians{};
  throw InvalidArgument("measure is " + name + ", but must be renyi, zcdp or gaussian");
}

class SharedFilter {
 public:
  SharedFilter(const filter::Measure& measure, double epsilon, double delta, Adjacency adjacency)
      : adjacency_(adjacency), filter_(measure, epsilon, delta, adjacency) {}

  bool spend(const ParsedPlan& release, std::uint64_t count) {
    require(!release.adjacency || *release.adjacency == adjacency_, "adjacency",
            to_string(release.adjacency.value_or(adjacency_)), to_string(adjacency_));
    const std::scoped_lock lock(mutex_);
    return filter_.spend(release.event, count);
  }

  Bound guarantee() const { return filter_.guarantee(); }
  double budget() const { return filter_.budget(); }
  double used() {
    const std::scoped_lock lock(mutex_);
    return filter_.used();
  }

 private:
  Adjacency adjacency_;
  std::mutex mutex_;
  filter::Filter filter_;
};

}  // namespace

void add_filter(nb::module_& module) {
  nb::class_<SharedFilter>(module, "Filter",
                           R"doc(A budget for releases whose parameters are chosen by what was released before.

Composition theorems, and with them Accountant and RunningAccount, take noise, rates and numbers as fixed in advance. A
filter fixes its budget alone: each release may be chosen by all outputs so far, and is made only if `spend` lets it
through. All of them together are (epsilon, delta)-DP, however they were chosen and whenever one stops; what was used of
the budget is no guarantee by itself. Threads may share it.

epsilon    positive
delta      in (0, 1)
measure    "renyi": the Rényi divergence of one order (Feldman, Zrnic 2021); "zcdp" (Whitehouse, Ramdas, Rogers, Wu
           2023); "gaussian": Gaussians without sampling (Smith, Thakurta 2022)
order      in (1, inf), beside measure "renyi" alone
adjacency  add_or_remove_one, replace_one or zero_out_one

Raises InvalidArgument naming what is out of range.)doc")
      .def(
          "__init__",
          [](SharedFilter* self, const GivenNumber& epsilon, const GivenNumber& delta, const GivenText& measure,
             const nb::object& order, const GivenText& adjacency) {
            const filter::Measure read = measure_of(measure.read("measure"), order);
            new (self) SharedFilter(read, epsilon.read("epsilon"), delta.read("delta"),
                                    adjacency_of(adjacency.read("adjacency")));
          },
          nb::arg("epsilon"), nb::arg("delta"), nb::arg("measure") = "zcdp", nb::arg("order") = nb::none(),
          nb::arg("adjacency") = "add_or_remove_one",
          nb::sig("def __init__(self, epsilon: float, delta: float, measure: str = 'zcdp', order: float | None = None, "
                  "adjacency: str = 'add_or_remove_one') -> None"))
      .def(
          "spend",
          [](SharedFilter& self, const GivenPlan& plan, const GivenInteger& count) {
            const ParsedPlan release = plan.read("plan");
            const std::uint64_t repetitions = count.read("count");
            const Released released;
            return self.spend(release, repetitions);
          },
          nb::arg("plan"), nb::arg("count") = 1,
          R"doc(Counts `count` repetitions of a plan if the budget allows all of them; False where it does not: then nothing of it
may be released.

Raises Unsupported when the measure says nothing of it, InvalidArgument when it names another adjacency.)doc")
      .def_prop_ro("guarantee", &SharedFilter::guarantee,
                   "What holds of all that is let through, for parameters chosen adaptively.")
      .def_prop_ro("budget", &SharedFilter::budget, "In the measure's own unit.")
      .def_prop_ro("used", &SharedFilter::used, "Never more than the budget.");
}

}  // namespace dpbudget::python
