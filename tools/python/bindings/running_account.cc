#include <nanobind/stl/string.h>

#include <mutex>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/running.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

class SharedAccount {
 public:
  SharedAccount(Adjacency adjacency, double delta, double mesh)
      : adjacency_(adjacency), account_(adjacency, delta, mesh) {}

  void add(const ParsedPlan& release, std::uint64_t count) {
    require(!release.adjacency || *release.adjacency == adjacency_, "adjacency",
            to_string(release.adjacency.value_or(adjacency_)), to_string(adjacency_));
    const std::scoped_lock lock(mutex_);
    account_.add(release.event, count);
  }

  Bound epsilon() {
    const std::scoped_lock lock(mutex_);
    return account_.epsilon();
  }

 private:
  Adjacency adjacency_;
  std::mutex mutex_;
  loss_distribution::RunningAccount account_;
};

}  // namespace

void add_running_account(nb::module_& module) {
  nb::class_<SharedAccount>(module, "RunningAccount",
                            R"doc(A budget that grows by rounds that all differ, by loss distributions.

A release costs one transform (none when it is like one before), an answer one more: the cost of a round does not grow
with the rounds before it. For equal rounds, Accountant is faster and narrower. Threads may share it.

delta      in (0, 1), at which epsilon will be asked for
adjacency  add_or_remove_one, replace_one or zero_out_one
mesh       of the loss grids, positive: the bracket widens like rounds times mesh^2

Raises InvalidArgument naming what is out of range.)doc")
      .def(
          "__init__",
          [](SharedAccount* self, const GivenNumber& delta, const std::string& adjacency, const GivenNumber& mesh) {
            new (self) SharedAccount(read_adjacency(adjacency), delta.read("delta"), mesh.read("mesh"));
          },
          nb::arg("delta"), nb::arg("adjacency") = "add_or_remove_one", nb::arg("mesh") = 1e-3)
      .def(
          "add",
          [](SharedAccount& self, const GivenPlan& plan, const GivenInteger& count) {
            const ParsedPlan release = plan.read("plan");
            const std::uint64_t repetitions = count.read("count");
            const nb::gil_scoped_release released;
            self.add(release, repetitions);
          },
          nb::arg("plan"), nb::arg("count") = 1, R"doc(Adds `count` repetitions of a plan, count in [0, 2^53].

Raises Unsupported when there is no theorem for it, InvalidArgument when it names another adjacency.)doc")
      .def("epsilon", &SharedAccount::epsilon, nb::call_guard<nb::gil_scoped_release>(),
           "A bracket around epsilon of all that was added, both ends proven.");
}

}  // namespace dpbudget::python
