#include <fmt/format.h>

#include <string>
#include <utility>

#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/poisson.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"
#include "dpbudget/accounting/renyi/without_replacement.h"
#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

constexpr Parameter order_from_1 = given::order.within(range::at_least_1);
constexpr Parameter order_to_infinity = given::order.within(range::closed(1, range::infinity));
constexpr Parameter integer_order = given::order.counting(range::closed(2, 0x1p20));
constexpr Parameter rdp = {
    .name = "rdp", .meaning = "Rényi divergence of that order", .unit = "nats", .range = range::not_negative};

constexpr const char* divergence = "Rényi divergence, nats";
constexpr const char* removing_or_adding = "add_or_remove_one, zero_out_one";

void add_single_releases(EvalFunctions& functions) {
  functions["renyi.gaussian"] = {
      .summary = "Rényi divergence of Gaussian noise",
      .gives = divergence,
      .accuracy = "relative error below 1e-15",
      .kind = ValueKind::exact,
      .source = "Mironov 2017 (arXiv:1702.07476), Corollary 3",
      .parameters = {order_from_1, given::noise_multiplier},
      .example = {R"({"order": 2, "noise_multiplier": 3})", "0.1111111111111111"},
      .value = [](Inputs& in) { return single(renyi::gaussian(in.number("order"), in.number("noise_multiplier"))); }};
  functions["renyi.laplace"] = {
      .summary = "Rényi divergence of Laplace noise on one real number",
      .gives = divergence,
      .accuracy = "relative error below 1e-13",
      .kind = ValueKind::exact,
      .source = "Mironov 2017 (arXiv:1702.07476), Table II and Proposition 6",
      .parameters = {order_to_infinity, given::scale},
      .example = {R"({"order": 2, "scale": 1.5})", "0.32667805367807035"},
      .value = [](Inputs& in) { return single(renyi::laplace(in.number("order"), in.number("scale"))); }};
  functions["renyi.randomized_response"] = {
      .summary = "Rényi divergence of binary randomised response",
      .gives = divergence,
      .accuracy = "relative error below 1e-13",
      .kind = ValueKind::exact,
      .source = "Mironov 2017 (arXiv:1702.07476), Proposition 5",
      .parameters = {order_to_infinity,
                     {.name = "truth_probability",
                      .meaning = "probability that the true value is reported",
                      .range = range::inside_0_1}},
      .example = {R"({"order": 2, "truth_probability": 0.75})", "0.8472978603872034"},
      .value = [](Inputs& in) {
        return single(renyi::randomized_response(in.number("order"), in.number("truth_probability")));
      }};
  functions["renyi.pure"] = {
      .summary = "the largest Rényi divergence that epsilon-DP allows",
      .gives = divergence,
      .accuracy = "relative error below 1e-13",
      .kind = ValueKind::upper_bound,
      .source = "Bun, Steinke 2016 (arXiv:1605.02065), Lemma B.1",
      .note = "binary randomised response attains it",
      .parameters = {order_to_infinity, given::own_epsilon.saying("of the mechanism")},
      .example = {R"({"order": 2, "epsilon": 1})", "0.7353256640555191"},
      .value = [](Inputs& in) { return single(renyi::pure(in.number("order"), in.number("epsilon"))); }};
}

// Of a rate, a noise and an order.
EvalFunction sampled_gaussian(double (*function)(double, double, double), const Parameter& order, EvalFunction about) {
  about.gives = divergence;
  about.parameters = {given::rate, given::noise_multiplier, order};
  if (about.example.inputs.empty()) about.example.inputs = R"({"rate": 0.01, "noise_multiplier": 1, "order": 8})";
  about.value = [function](Inputs& in) {
    return single(function(in.number("rate"), in.number("noise_multiplier"), in.number("order")));
  };
  return about;
}

void add_poisson_samples(EvalFunctions& functions) {
  functions["renyi.poisson_gaussian"] = sampled_gaussian(
      renyi::poisson_gaussian, given::order,
      {.summary = "Rényi divergence of Gaussian noise on a Poisson sample, the larger of both directions",
       .accuracy = "relative error below 1e-11; an upper bound where noise_multiplier < 1e-3 and order < 1.001",
       .kind = ValueKind::exact,
       .adjacency = removing_or_adding,
       .source = "Mironov, Talwar, Zhang 2019 (arXiv:1908.10530), section 3.3; Theorem 5 for the direction",
       .example = {"", "0.0008936439076060323"}});
  functions["renyi.poisson_gaussian_reverse"] = sampled_gaussian(
      renyi::poisson_gaussian_reverse, given::order,
      {.summary = "Rényi divergence of Gaussian noise on a Poisson sample, from the noise alone to the mixture",
       .accuracy = "relative error below 1e-11; refused where the quadrature would need too many nodes",
       .kind = ValueKind::exact,
       .adjacency = removing_or_adding,
       .source = "Mironov, Talwar, Zhang 2019 (arXiv:1908.10530), section 3.3",
       .note = "the smaller of both directions: never above renyi.poisson_gaussian",
       .example = {"", "0.0005723888949020434"}});
  functions["renyi.poisson_laplace"] = {
      .summary = "Rényi divergence of Laplace noise on a Poisson sample, by the theorem for any mechanism",
      .gives = divergence,
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = removing_or_adding,
      .source = "Zhu, Wang 2019 (Poisson subsampled Rényi differential privacy), Theorem 5; Theorem 6 for factor 1",
      .parameters = {given::rate,
                     given::scale,
                     integer_order,
                     {.name = "odd_moment_factor",
                      .meaning = "factor of the terms from the third on: 1 where no odd moment is negative, as here",
                      .choices = {"1", "3"}}},
      .example = {R"({"rate": 0.01, "scale": 1.5, "order": 4, "odd_moment_factor": 1})", "7.749119578681464e-05"},
      .value = [](Inputs& in) {
        return single(renyi::poisson_laplace(in.number("rate"), in.number("scale"), in.number("order"),
                                             in.number("odd_moment_factor")));
      }};
}

void add_samples_without_replacement(EvalFunctions& functions) {
  constexpr Parameter fraction = given::rate.saying("the sample's share of the records");
  const auto add = [&](const std::string& name, double (*function)(double, double, double), const Parameter& order,
                       EvalFunction about) {
    about.kind = ValueKind::upper_bound;
    about.adjacency = "replace_one";
    EvalFunction gaussian = sampled_gaussian(function, order, std::move(about));
    gaussian.parameters.front() = fraction;
    functions["renyi.without_replacement_gaussian" + name] = std::move(gaussian);
  };
  add("", renyi::without_replacement_gaussian, given::order,
      {.summary = "Rényi divergence of Gaussian noise on a sample of fixed size, by its trade-off function",
       .accuracy = "relative error below 1e-10",
       .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2; Sason, Verdú 2016 (arXiv:1508.00335), "
                 "Proposition 3; accounting/renyi/proofs.md, 5.1 to 5.3",
       .example = {"", "0.0012588277121999244"}});
  const std::string wang = "Wang, Balle, Kasiviswanathan 2019 (arXiv:1808.00087), ";
  const std::string uncapped = "it may exceed the divergence without sampling";
  add(".uncapped",
      [](double rate, double noise, double order) {
        return renyi::without_replacement_gaussian_uncapped(rate, noise, order, false);
      },
      integer_order,
      {.summary = "Rényi divergence of Gaussian noise on a sample of fixed size, by Wang et al.'s theorem",
       .accuracy = at_reference_vectors,
       .source = wang + "Theorem 9",
       .note = uncapped,
       .example = {R"({"rate": 0.1, "noise_multiplier": 3, "order": 8})", "0.039544087662735254"}});
  add(".ternary_uncapped",
      [](double rate, double noise, double order) {
        return renyi::without_replacement_gaussian_uncapped(rate, noise, order, true);
      },
      integer_order,
      {.summary = "Rényi divergence of Gaussian noise on a sample of fixed size, by Wang et al.'s refined theorem",
       .accuracy = at_reference_vectors,
       .source = wang + "Theorems 9 and 27; accounting/renyi/proofs.md, 4.1",
       .note = uncapped,
       .example = {R"({"rate": 0.1, "noise_multiplier": 3, "order": 8})", "0.02048690200703874"}});
  add(".interpolated_uncapped", renyi::without_replacement_gaussian_interpolated_uncapped,
      given::order.within(range::without_low(1, 0x1p20)),
      {.summary = "renyi.without_replacement_gaussian.uncapped, interpolated to real orders",
       .accuracy = at_reference_vectors,
       .source = "Noble, Bellet, Dieuleveut 2022 (arXiv:2111.09278), equation 8",
       .note = uncapped,
       .example = {R"({"rate": 0.01, "noise_multiplier": 1, "order": 8.5})", "0.0036903060820328054"}});
  functions["renyi.without_replacement_laplace.uncapped"] = {
      .summary = "Rényi divergence of Laplace noise on a sample of fixed size, by Wang et al.'s theorem",
      .gives = divergence,
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = "Wang, Balle, Kasiviswanathan 2019 (arXiv:1808.00087), Theorem 9",
      .parameters = {fraction, given::scale, integer_order},
      .example = {R"({"rate": 0.01, "scale": 1.5, "order": 4})", "0.0002516061699593568"},
      .value = [](Inputs& in) {
        return single(
            renyi::without_replacement_laplace_uncapped(in.number("rate"), in.number("scale"), in.number("order")));
      }};
}

void add_conversions(EvalFunctions& functions) {
  using Conversion = double (*)(double, double, double);
  const auto add = [&](const std::string& name, Conversion function, const Parameter& last,
                       Evaluated (*wrap)(double value), const Example& example) {
    const bool is_mironov = name.ends_with("mironov");
    const std::string found = last.name == "delta" ? "epsilon" : "delta";
    functions["renyi.to_" + name] = {
        .summary = fmt::format("{} from one Rényi divergence, by {} conversion", found,
                               is_mironov ? "Mironov's" : "Canonne, Kamath and Steinke's"),
        .gives = found == "epsilon" ? "epsilon, nats" : found,
        .accuracy = at_reference_vectors,
        .kind = ValueKind::upper_bound,
        .source = is_mironov ? "Mironov 2017 (arXiv:1702.07476), Proposition 3"
                             : "Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Proposition 12; Balle et al. 2020, "
                               "Theorem 21",
        .parameters = {given::order, rdp, last},
        .example = example,
        .value = [function, asked = last.name, wrap](Inputs& in) {
          return wrap(function(in.number("order"), in.number("rdp"), in.number(asked)));
        }};
  };
  constexpr std::string_view to_epsilon = R"({"order": 8, "rdp": 0.5, "delta": 1e-5})";
  constexpr std::string_view to_delta = R"({"order": 8, "rdp": 0.5, "epsilon": 2})";
  add("epsilon.mironov", renyi::to_epsilon_mironov, given::delta, single, {to_epsilon, "2.14470363785289"});
  add("epsilon.canonne", renyi::to_epsilon_canonne, given::delta, single, {to_epsilon, "1.7141091678455336"});
  add("delta.mironov", renyi::to_log_delta_mironov, given::epsilon, from_log, {to_delta, "2.7536449349747158e-05"});
  add("delta.canonne", renyi::to_log_delta_canonne, given::epsilon, from_log, {to_delta, "1.3516813580297707e-06"});
}

}  // namespace

void add_renyi_functions(EvalFunctions& functions) {
  add_single_releases(functions);
  add_poisson_samples(functions);
  add_samples_without_replacement(functions);
  add_conversions(functions);
}

}  // namespace dpbudget::tools
