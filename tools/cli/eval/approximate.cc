#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/approximate/composition.h"
#include "dpbudget/accounting/approximate/group.h"
#include "dpbudget/accounting/approximate/heterogeneous.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/approximate/sampling.h"
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

constexpr const char* both = "[epsilon, nats; delta]";
constexpr const char* optimal_accuracy = "relative error of delta below 1e-11 + 1e-14 |log delta|";
constexpr const char* kairouz = "Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), ";
constexpr const char* any_composed = "any, that of the mechanisms";

constexpr Parameter total_epsilon = {
    .name = "total_epsilon", .meaning = "of all together", .unit = "nats", .range = range::not_negative};

Evaluated guarantee(const EpsilonDelta& found) {
  return {{found.epsilon, found.delta}, true, {std::log(found.epsilon), std::log(found.delta)}};
}

Evaluated guarantee(const EpsilonLogDelta& found) {
  return {{found.epsilon, std::exp(found.log_delta)}, true, {std::log(found.epsilon), found.log_delta}};
}

Evaluated epsilon(double found) { return {{found}, false, {std::log(found)}}; }

Evaluated basic_composition(Inputs& in) {
  const std::vector<double> epsilons = in.numbers("epsilons");
  Evaluated found = guarantee(approximate::basic_composition(epsilons, in.numbers("deltas")));
  if (std::isinf(found.values.front())) {
    const double most = *std::ranges::max_element(epsilons);
    double share = 0;
    for (const double epsilon : epsilons) share += epsilon / most;
    found.log_values.front() = std::log(most) + std::log(share);
  }
  return found;
}

Evaluated advanced_composition(Inputs& in) {
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
}

Evaluated amplify_by_sampling(Inputs& in) {
  const double inner = in.number("epsilon");
  const double rate = in.number("rate");
  Evaluated found = guarantee(approximate::amplify_by_sampling(inner, in.number("delta"), rate));
  // Where the epsilon underflows, it is the product.
  if (rate > 0 && found.values.front() < 1e-290)
    found.log_values.front() = std::log(rate) + (inner > 700 ? inner : std::log(std::expm1(inner)));
  return found;
}

Evaluated group(Inputs& in) {
  const double inner = in.number("epsilon");
  const double size = in.number("size");
  Evaluated found = guarantee(approximate::group(inner, in.number("delta"), size));
  if (std::isinf(found.values.front())) found.log_values.front() = std::log(inner) + std::log(size);
  return found;
}

void add_closed_forms(EvalFunctions& functions) {
  functions["approximate.basic_composition"] = {
      .summary = "composition by sums of the epsilons and of the deltas",
      .gives = both,
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = any_composed,
      .source = "Dwork, Roth 2014, Theorem 3.16",
      .parameters = {given::epsilons, given::deltas},
      .example = {R"({"epsilons": [1, 0.5], "deltas": [1e-6, 2e-6]})", "[1.5, 3e-06]"},
      .value = basic_composition};
  functions["approximate.advanced_composition"] = {
      .summary = "advanced composition of equal mechanisms",
      .gives = both,
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::upper_bound,
      .adjacency = any_composed,
      .source = "Dwork, Rothblum, Vadhan 2010, Theorem III.3",
      .parameters = {given::own_epsilon, given::own_delta, given::count.within(range::counts_from_0),
                     given::slack.within(range::positive_rate)},
      .example = {R"({"epsilon": 0.1, "delta": 1e-7, "count": 100, "slack": 1e-6})", "[6.308230950513408, 1.1e-05]"},
      .value = advanced_composition};
  functions["approximate.kairouz_heterogeneous_epsilon"] = {
      .summary = "epsilon of different mechanisms composed, by the smallest of three closed forms",
      .gives = "epsilon, nats, at delta 1 - (1 - slack) times the product of 1 - each mechanism's delta",
      .accuracy = "relative error below 1e-14 times the number of mechanisms",
      .kind = ValueKind::upper_bound,
      .adjacency = any_composed,
      .source = std::string(kairouz) + "Theorem 3.5",
      .parameters = {given::epsilons, given::slack.within(range::probability)},
      .example = {R"({"epsilons": [0.1, 0.2, 0.3], "slack": 1e-6})", "0.6000000000000001"},
      .value = [](Inputs& in) {
        return epsilon(approximate::kairouz_heterogeneous_epsilon(in.numbers("epsilons"), in.number("slack")));
      }};
  functions["approximate.group"] = {
      .summary = "what a guarantee for one record says of several",
      .gives = both,
      .accuracy = "relative error of delta below 1e-14 (1 + |log delta|)",
      .kind = ValueKind::upper_bound,
      .source = "Vadhan 2017 (The complexity of differential privacy), Lemma 2.2: the sum in its proof",
      .parameters = {given::own_epsilon.saying("for one record"),
                     given::own_delta.saying("for one record"),
                     {.name = "size",
                      .meaning = "steps of the adjacency between the data sets",
                      .unit = "records",
                      .type = ParameterType::integer,
                      .range = range::counts}},
      .example = {R"({"epsilon": 0.5, "delta": 1e-8, "size": 3})", "[1.5, 5.3670030991591666e-08]"},
      .value = group};
}

void add_optimal_composition(EvalFunctions& functions) {
  const std::vector<Parameter> mechanisms = {given::own_epsilon, given::own_delta, given::count};
  const auto with = [&](const Parameter& last) {
    std::vector<Parameter> all = mechanisms;
    all.push_back(last);
    return all;
  };
  const std::string source = std::string(kairouz) + "Theorem 3.3, between its lattice points Theorem 3.2";
  functions["approximate.optimal_composition_delta"] = {
      .summary = "delta of equal mechanisms composed: the best that can be said, and attained",
      .gives = "delta",
      .accuracy = optimal_accuracy,
      .kind = ValueKind::exact,
      .adjacency = any_composed,
      .source = source,
      .parameters = with(total_epsilon),
      .example = {R"({"epsilon": 0.1, "delta": 1e-7, "count": 100, "total_epsilon": 5})", "1.0279211317679863e-05"},
      .value = [](Inputs& in) {
        return from_log(approximate::optimal_composition_log_delta(in.number("epsilon"), in.number("delta"),
                                                                   in.number("count"), in.number("total_epsilon")));
      }};
  functions["approximate.optimal_composition_epsilon"] = {
      .summary = "epsilon of equal mechanisms composed: the best that can be said, and attained",
      .gives = "epsilon, nats; inf where none is enough",
      .accuracy = "relative error below 1e-11 where the delta at epsilon 0 is above 2 total_delta",
      .kind = ValueKind::exact,
      .adjacency = any_composed,
      .source = source,
      .parameters = with({.name = "total_delta", .meaning = "of all together", .range = range::probability}),
      .example = {R"({"epsilon": 0.1, "delta": 1e-9, "count": 100, "total_delta": 1e-6})", "4.787723760811632"},
      .value = [](Inputs& in) {
        return epsilon(approximate::optimal_composition_epsilon(in.number("epsilon"), in.number("delta"),
                                                                in.number("count"), in.number("total_delta")));
      }};
  functions["approximate.optimal_composition_at"] = {
      .summary = "the theorem's own guarantees of equal mechanisms composed, by their index",
      .gives = "[epsilon = (count - 2 index) times that of each, nats; delta]",
      .accuracy = optimal_accuracy,
      .kind = ValueKind::exact,
      .adjacency = any_composed,
      .source = std::string(kairouz) + "Theorem 3.3",
      .parameters = with({.name = "index",
                          .meaning = "steps below the largest epsilon",
                          .type = ParameterType::integer,
                          .range = range::counts_from_0,
                          .condition = "at most count / 2"}),
      .example = {R"({"epsilon": 0.1, "delta": 1e-7, "count": 100, "index": 30})", "[4.0, 4.422273146259154e-05]"},
      .value = [](Inputs& in) {
        return guarantee(approximate::optimal_composition_at(in.number("epsilon"), in.number("delta"),
                                                             in.number("count"), in.number("index")));
      }};
  functions["approximate.optimal_composition_heterogeneous_delta"] = {
      .summary = "delta of different mechanisms composed: the best that can be said, and attained",
      .gives = "delta",
      .accuracy = optimal_accuracy,
      .kind = ValueKind::exact,
      .adjacency = any_composed,
      .source = "Murtagh, Vadhan 2016 (arXiv:1507.03113), equation (1)",
      .note = "refused where its sum has more than 2^22 terms: the product of (mechanisms of one epsilon + 1)",
      .parameters = {given::epsilons, given::deltas, total_epsilon},
      .example = {R"({"epsilons": [0.1, 0.2, 0.3], "deltas": [0, 0, 1e-6], "total_epsilon": 0.4})",
                  "0.03005788353362448"},
      .value = [](Inputs& in) {
        return from_log(approximate::optimal_composition_heterogeneous_log_delta(
            in.numbers("epsilons"), in.numbers("deltas"), in.number("total_epsilon")));
      }};
}

void add_amplification(EvalFunctions& functions) {
  functions["approximate.amplify_by_sampling"] = {
      .summary = "a mechanism on a secret sample, Poisson or of fixed size",
      .gives = both,
      .accuracy = "relative error of either below 1e-12",
      .kind = ValueKind::upper_bound,
      .adjacency = "add_or_remove_one of Poisson samples, replace_one of samples of fixed size: as the mechanism's own",
      .source = "Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorems 8 and 9",
      .parameters = {given::own_epsilon.saying("of the mechanism"), given::own_delta.saying("of the mechanism"),
                     given::rate},
      .example = {R"({"epsilon": 1, "delta": 1e-6, "rate": 0.01})", "[0.01703686323617655, 1.0000000000000018e-08]"},
      .value = amplify_by_sampling};
  functions["approximate.amplify_with_replacement_gaussian"] = {
      .summary = "Gaussian noise on a secret batch drawn record by record with replacement",
      .gives = both,
      .accuracy = "relative error of delta below 1e-11 + 1e-14 |log delta|",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = "Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 10",
      .note = "refused where more than 2^21 terms of its sum matter",
      .parameters = {given::own_epsilon.saying("of the Gaussian, at which its deltas are taken"),
                     given::mu.saying("sensitivity to one of the batch's places over the noise's standard deviation")
                         .within(range::without_high(1e-300, range::infinity)),
                     {.name = "population",
                      .meaning = "records drawn from",
                      .unit = "records",
                      .type = ParameterType::integer,
                      .range = range::counts},
                     {.name = "draws",
                      .meaning = "size of the batch",
                      .unit = "records",
                      .type = ParameterType::integer,
                      .range = range::closed(1, 1e9)}},
      .example = {R"({"epsilon": 1, "mu": 0.5, "population": 1000, "draws": 100})",
                  "[0.15151342550522934, 0.0012370865193323912]"},
      .value = [](Inputs& in) {
        return guarantee(approximate::amplify_with_replacement_gaussian(in.number("epsilon"), in.number("mu"),
                                                                        in.number("population"), in.number("draws")));
      }};
}

}  // namespace

void add_approximate_functions(EvalFunctions& functions) {
  add_closed_forms(functions);
  add_optimal_composition(functions);
  add_amplification(functions);
}

}  // namespace dpbudget::tools
