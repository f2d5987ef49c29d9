#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dpbudget/accounting/solve/dp_sgd.h"
#include "dpbudget/tools/cli/output/dp_sgd_output.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/bound.h"
#include "dpbudget/tools/python/bindings/given.h"
#include "dpbudget/tools/python/bindings/released.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

// name, plan, epsilon, meaning, refusal
using Other = std::tuple<std::string, ParsedPlan, std::optional<Bound>, std::string, std::optional<std::string>>;

Other other(const solve::OtherSampling& sampling) {
  std::optional<Bound> epsilon;
  std::optional<std::string> refusal;
  if (sampling.epsilon)
    epsilon = *sampling.epsilon;
  else
    refusal = sampling.epsilon.error().text();
  return {sampling.name, ParsedPlan{sampling.plan.event, sampling.plan.adjacency}, std::move(epsilon), sampling.meaning,
          std::move(refusal)};
}

// records, batch, epochs, steps, noise, delta, epsilon, plan, assumed, others, notes, text
using Run = std::tuple<std::uint64_t, std::uint64_t, double, std::uint64_t, double, double, Bound, ParsedPlan,
                       std::string, std::vector<Other>, std::vector<std::string>, std::string>;

Run run(const solve::DpSgdQuestion& question, AccountantName name, double tolerance) {
  solve::DpSgd found = solve::dp_sgd(question, name, tolerance).value();
  std::string text = tools::text_of(found);
  text.pop_back();  // the end of the last line
  std::vector<Other> others;
  for (const solve::OtherSampling& sampling : found.others) others.push_back(other(sampling));
  return {found.records,
          found.batch,
          found.epochs,
          found.steps,
          found.noise,
          found.delta,
          std::move(found.epsilon),
          ParsedPlan{found.plan.event, found.plan.adjacency},
          std::move(found.assumed),
          std::move(others),
          std::move(found.notes),
          std::move(text)};
}

}  // namespace

void add_dpsgd(nb::module_& module) {
  module.def(
      "dpsgd",
      [](const GivenCount& records, const GivenCount& batch, const GivenReal& epochs, const GivenReal& noise,
         const GivenReal& delta, const GivenReal& epsilon, const GivenText& accountant, const GivenNumber& tolerance) {
        const solve::DpSgdQuestion question{records.read("records"), batch.read("batch"), epochs.read("epochs"),
                                            noise.read("noise"),     delta.read("delta"), epsilon.read("epsilon")};
        const AccountantName name = read_accountant(accountant);
        const double width = tolerance.read("tolerance");
        const Released released;
        return run(question, name, width);
      },
      nb::arg("records").none(), nb::arg("batch").none(), nb::arg("epochs").none(), nb::arg("noise").none(),
      nb::arg("delta").none(), nb::arg("epsilon").none(), nb::arg("accountant").none(), nb::arg("tolerance").none(),
      "the members of a DpSgd, in order");
}

}  // namespace dpbudget::python
