#include "dpbudget/accounting/accountants/accountant.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// An accountant that threads may share: one asks at a time, and the interpreter's lock is released meanwhile.
class SharedAccountant {
 public:
  SharedAccountant(const Plan& plan, AccountantName name, double tolerance)
      : accountant_(make_accountant(name, plan, tolerance).value()) {}

  Bound epsilon(std::uint64_t count, double delta) {
    const std::scoped_lock lock(mutex_);
    return accountant_->epsilon(count, delta).value();
  }

  DeltaBound delta(std::uint64_t count, double epsilon) {
    const std::scoped_lock lock(mutex_);
    return accountant_->delta(count, epsilon).value();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Accountant> accountant_;
};

}  // namespace

void add_accountant(nb::module_& module) {
  module.attr("default_tolerance") = default_tolerance;
  module.def(
      "accountant_names",
      [] {
        std::vector<std::string> names;
        for (const AccountantName name : all_accountants) names.emplace_back(to_string(name));
        return names;
      },
      "The names of all accountants.");

  nb::class_<SharedAccountant>(module, "PlanAccountant",
                               "Answers for any number of repetitions of one plan, and keeps what it computed.")
      .def(
          "__init__",
          [](SharedAccountant* self, const GivenPlan& given, const GivenText& accountant, const GivenNumber& tolerance,
             const GivenOptionalText& adjacency) {
            const Plan plan = read_plan(given, adjacency);
            const AccountantName name = read_accountant(accountant);
            const double width = tolerance.read("tolerance");
            const Released released;
            require_known(plan.event);
            new (self) SharedAccountant(plan, name, width);
          },
          nb::arg("plan").none(), nb::arg("accountant").none(), nb::arg("tolerance").none(),
          nb::arg("adjacency").none())
      .def(
          "epsilon",
          [](SharedAccountant& self, const GivenInteger& count, const GivenNumber& delta) {
            const std::uint64_t repetitions = count.read("count");
            const double at = delta.read("delta");
            const Released released;
            return self.epsilon(repetitions, at);
          },
          nb::arg("count").none(), nb::arg("delta").none())
      .def(
          "delta",
          [](SharedAccountant& self, const GivenInteger& count, const GivenNumber& epsilon) {
            const std::uint64_t repetitions = count.read("count");
            const double at = epsilon.read("epsilon");
            const Released released;
            return self.delta(repetitions, at);
          },
          nb::arg("count").none(), nb::arg("epsilon").none());
}

}  // namespace dpbudget::python
