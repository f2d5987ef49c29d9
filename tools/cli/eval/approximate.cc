#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/approximate/composition.h"
#include "dpbudget/accounting/approximate/group.h"
#include "dpbudget/accounting/approximate/heterogeneous.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/approximate/sampling.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

Evaluated guarantee(const EpsilonDelta& found) {
  return {{found.epsilon, found.delta}, true, {std::log(found.epsilon), std::log(found.delta)}};
}

Evaluated guarantee(const EpsilonLogDelta& found) {
  return {{found.epsilon, std::exp(found.log_delta)}, true, {std::log(found.epsilon), found.log_delta}};
}

Evaluated epsilon(double found) { return {{found}, false, {std::log(found)}}; }

}  // namespace

void add_approximate_functions(EvalFunctions& functions) {
  const auto add = [&](const std::string& name, auto&& function) {
    functions.emplace("approximate." + name, function);
  };

  add("basic_composition", [](Inputs& in) {
    const std::vector<double> epsilons = in.numbers("epsilons");
    Evaluated found = guarantee(approximate::basic_composition(epsilons, in.numbers("deltas")));
    if (std::isinf(found.values.front())) {
      const double most = *std::ranges::max_element(epsilons);
      double share = 0;
      for (const double epsilon : epsilons) share += epsilon / most;
      found.log_values.front() = std::log(most) + std::log(share);
    }
    return found;
  });
  add("advanced_composition", [](Inputs& in) {
    const double inner = in.number("epsilon");
    const double count = in.number("count");
    const double slack = in.number("slack");
    Evaluated found = guarantee(approximate::advanced_composition(inner, in.number("delta"), count, slack));
    // Its two terms by their logarithms, where the sum leaves the range of a double.
    if (inner > 0 && count > 0 && (found.values.front() < 1e-290 || std::isinf(found.values.front()))) {
      const double deviation = std::log(inner) + std::log(-2 * count * std::log(slack)) / 2;
      const double mean = std::log(count) + std::log(inner) + (inner > 700 ? inner : std::log(std::expm1(inner)));
      found.log_values.front() = std::max(deviation, mean) + std::log1p(std::exp(-std::abs(deviation - mean)));
    }
    return found;
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
    if (rate > 0 && found.values.front() < 1e-290)
      found.log_values.front() = std::log(rate) + (inner > 700 ? inner : std::log(std::expm1(inner)));
    return found;
  });
  add("amplify_with_replacement_gaussian", [](Inputs& in) {
    return guarantee(approximate::amplify_with_replacement_gaussian(in.number("epsilon"), in.number("mu"),
                                                                    in.number("population"), in.number("draws")));
  });
  add("group", [](Inputs& in) {
    const double inner = in.number("epsilon");
    const double size = in.number("size");
    Evaluated found = guarantee(approximate::group(inner, in.number("delta"), size));
    if (std::isinf(found.values.front())) found.log_values.front() = std::log(inner) + std::log(size);
    return found;
  });
}

}  // namespace dpbudget::tools
