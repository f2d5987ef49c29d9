#include <cmath>

#include "dpbudget/accounting/approximate/composition.h"
#include "dpbudget/accounting/approximate/group.h"
#include "dpbudget/accounting/approximate/heterogeneous.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/approximate/sampling.h"
#include "dpbudget/tools/eval/notions.h"

namespace dpbudget::tools {
namespace {

Evaluated guarantee(const approximate::EpsilonDelta& found) {
  return {{found.epsilon, found.delta}, true, {std::log(found.epsilon), std::log(found.delta)}};
}

Evaluated guarantee(const approximate::EpsilonLogDelta& found) {
  return {{found.epsilon, std::exp(found.log_delta)}, true, {std::log(found.epsilon), found.log_delta}};
}

Evaluated epsilon(double found) { return {{found}, false, {std::log(found)}}; }

}  // namespace

void add_approximate_functions(EvalFunctions& functions) {
  const auto add = [&](const std::string& name, auto&& function) {
    functions.emplace("approximate." + name, function);
  };

  add("basic_composition", [](Inputs& in) {
    return guarantee(approximate::basic_composition(in.numbers("epsilons"), in.numbers("deltas")));
  });
  add("advanced_composition", [](Inputs& in) {
    return guarantee(approximate::advanced_composition(in.number("epsilon"), in.number("delta"), in.number("count"),
                                                       in.number("slack")));
  });
  add("kairouz_heterogeneous_epsilon", [](Inputs& in) {
    return epsilon(approximate::kairouz_heterogeneous_epsilon(in.numbers("epsilons"), in.number("slack")));
  });

  add("optimal_composition_delta", [](Inputs& in) {
    return from_log(approximate::optimal_composition_log_delta(in.number("epsilon"), in.number("delta"),
                                                               in.number("count"), in.number("total_epsilon")));
  });
  add("optimal_composition_epsilon", [](Inputs& in) {
    return epsilon(approximate::optimal_composition_epsilon(in.number("epsilon"), in.number("delta"),
                                                            in.number("count"), in.number("total_delta")));
  });
  add("optimal_composition_at", [](Inputs& in) {
    return guarantee(approximate::optimal_composition_at(in.number("epsilon"), in.number("delta"), in.number("count"),
                                                         in.number("index")));
  });
  add("optimal_composition_heterogeneous_delta", [](Inputs& in) {
    return from_log(approximate::optimal_composition_heterogeneous_log_delta(
        in.numbers("epsilons"), in.numbers("deltas"), in.number("total_epsilon")));
  });

  add("amplify_by_sampling", [](Inputs& in) {
    const double inner = in.number("epsilon");
    const double rate = in.number("sampling_rate");
    Evaluated found = guarantee(approximate::amplify_by_sampling(inner, in.number("delta"), rate));
    // Where the epsilon underflows, it is the product.
    if (found.values.front() < 1e-290) found.log_values.front() = std::log(rate) + std::log(std::expm1(inner));
    return found;
  });
  add("amplify_with_replacement_gaussian", [](Inputs& in) {
    return guarantee(approximate::amplify_with_replacement_gaussian(in.number("epsilon"), in.number("mu"),
                                                                    in.number("population"), in.number("draws")));
  });
  add("group", [](Inputs& in) {
    return guarantee(approximate::group(in.number("epsilon"), in.number("delta"), in.number("size")));
  });
}

}  // namespace dpbudget::tools
