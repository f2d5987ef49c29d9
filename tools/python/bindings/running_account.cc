#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/running.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

using nlohmann::json;

constexpr int state_version = 1;

class SharedAccount {
 public:
  SharedAccount(Adjacency adjacency, double delta, double mesh)
      : adjacency_(adjacency), delta_(delta), mesh_(mesh), account_(adjacency, delta, mesh) {}

  // What `state` says.
  explicit SharedAccount(const json& state)
      : SharedAccount(adjacency_of(state.at("adjacency").get<std::string>()), state.at("delta").get<double>(),
                      state.at("mesh").get<double>()) {
    for (const auto& [text, count] : state.at("releases").get<std::vector<std::pair<std::string, std::uint64_t>>>())
      add(parse(text), count);
  }

  void add(const ParsedPlan& release, std::uint64_t count) {
    require(!release.adjacency || *release.adjacency == adjacency_, "adjacency",
            to_string(release.adjacency.value_or(adjacency_)), to_string(adjacency_));
    const std::scoped_lock lock(mutex_);
    account_.add(release.event, count);
    std::string text = to_text(release.event);
    if (!added_.empty() && added_.back().first == text)
      added_.back().second += count;
    else
      added_.emplace_back(std::move(text), count);
  }

  Bound epsilon() {
    const std::scoped_lock lock(mutex_);
    Bound bound = account_.epsilon();
    bound.notes.emplace_back(
        "holds for releases whose noise, rates and numbers were fixed in advance; where they follow what was released "
        "before, a Filter is needed");
    return bound;
  }

  std::string state() {
    const std::scoped_lock lock(mutex_);
    return json{{"version", state_version},
                {"adjacency", to_string(adjacency_)},
                {"delta", delta_},
                {"mesh", mesh_},
                {"releases", added_}}
        .dump();
  }

 private:
  Adjacency adjacency_;
  double delta_;
  double mesh_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::uint64_t>> added_;
  loss_distribution::RunningAccount account_;
};

json read_state(const std::string& text) {
  json state = json::parse(text, nullptr, false);
  if (!state.is_object() || !state.contains("version"))
    throw InvalidArgument("state is not what an account's state() returns");
  require(state["version"] == state_version, "version of the state", state["version"].dump(),
          std::to_string(state_version));
  return state;
}

// @param make  takes the state
template <class Make>
auto restored(const std::string& text, const Make& make) {
  const json state = read_state(text);
  try {
    return make(state);
  } catch (const json::exception& error) {
    throw InvalidArgument(fmt::format("state is not what an account's state() returns: {}", error.what()));
  }
}

}  // namespace

void add_running_account(nb::module_& module) {
  nb::class_<SharedAccount>(module, "RunningAccount",
                            R"doc(A budget that grows by rounds that all differ, by loss distributions.

A release costs one transform (none when it is like one before), an answer one more: the cost of a round does not grow
with the rounds before it. For equal rounds, Accountant is faster and narrower. Threads may share it.

It is for releases whose noise, rates and numbers were fixed in advance: where they follow what was released before, only
a Filter is proven.

delta      in (0, 1), at which epsilon will be asked for
adjacency  add_or_remove_one, replace_one or zero_out_one
mesh       of the loss grids, positive: the bracket widens like rounds times mesh^2

Raises InvalidArgument naming what is out of range.)doc")
      .def(
          "__init__",
          [](SharedAccount* self, const GivenNumber& delta, const GivenText& adjacency, const GivenNumber& mesh) {
            new (self) SharedAccount(adjacency_of(adjacency.read("adjacency")), delta.read("delta"), mesh.read("mesh"));
          },
          nb::arg("delta"), nb::arg("adjacency") = "add_or_remove_one", nb::arg("mesh") = 1e-3)
      .def(
          "add",
          [](SharedAccount& self, const GivenPlan& plan, const GivenInteger& count) {
            const ParsedPlan release = plan.read("plan");
            const std::uint64_t repetitions = count.read("count");
            const Released released;
            self.add(release, repetitions);
          },
          nb::arg("plan"), nb::arg("count") = 1, R"doc(Adds `count` repetitions of a plan, count in [0, 2^53].

Raises Unsupported when there is no theorem for it, InvalidArgument when it names another adjacency.)doc")
      .def("epsilon", &SharedAccount::epsilon, nb::call_guard<Released>(),
           "A bracket around epsilon of all that was added, both ends proven.")
      .def("state", &SharedAccount::state, nb::call_guard<Released>(),
           "All that was added, as JSON text for `restore`.")
      .def_static(
          "restore",
          [](const GivenText& text) {
            return restored(text.read("state"),
                            [](const json& state) { return std::make_unique<SharedAccount>(state); });
          },
          nb::arg("state"), nb::sig("def restore(state: str) -> RunningAccount"),
          R"doc(The account whose `state` that was: it gives the same answers.

Raises InvalidArgument when it is no state, or of another version.)doc")
      .def("__getstate__", &SharedAccount::state)
      .def("__setstate__", [](SharedAccount& self, const std::string& text) {
        restored(text, [&](const json& state) { return new (&self) SharedAccount(state); });
      });
}

}  // namespace dpbudget::python
