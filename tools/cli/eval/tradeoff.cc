#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/accounting/tradeoff/central_limit.h"
#include "dpbudget/accounting/tradeoff/closed_forms.h"
#include "dpbudget/accounting/tradeoff/federated.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

constexpr const char* type_two_error =
    "type II error: the least probability of taking the second data set for the first";
constexpr const char* log_accuracy = "error of the logarithm below 1e-12 (1 + |log|)";
constexpr Parameter fixed_rate = given::rate.saying("the sample's share of the records");
constexpr Parameter composed_steps = {
    .name = "steps", .meaning = "how many are composed", .unit = "steps", .aliases = {"count"}};

void add_curves(EvalFunctions& functions) {
  functions["tradeoff.gaussian"] = {
      .summary = "trade-off function G_mu of Gaussian differential privacy",
      .gives = type_two_error,
      .accuracy = log_accuracy,
      .kind = ValueKind::exact,
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), equation (6)",
      .parameters = {given::mu, given::type_one_error},
      .example = {R"({"mu": 1, "type_one_error": 0.05})", "0.740488977158556"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::gaussian_log_type_two_error(in.number("mu"), in.number("type_one_error")));
      }};
  functions["tradeoff.gaussian_to_delta"] = {
      .summary = "delta of mu-Gaussian differential privacy at one epsilon",
      .gives = "delta",
      .accuracy = log_accuracy,
      .kind = ValueKind::exact,
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Corollary 2.13",
      .parameters = {given::mu, given::epsilon.within(range::finite)},
      .example = {R"({"mu": 1, "epsilon": 2})", "0.02092363582111373"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::gaussian_to_log_delta(in.number("mu"), in.number("epsilon")));
      }};
  functions["tradeoff.approximate"] = {
      .summary = "trade-off function of (epsilon, delta)-DP",
      .gives = type_two_error,
      .accuracy = "error of the logarithm below 1e-15 (1 + |log|)",
      .kind = ValueKind::exact,
      .source = "Wasserman, Zhou 2010; Dong, Roth, Su 2019 (arXiv:1905.02383), equation (5)",
      .parameters = {given::type_one_error, given::own_epsilon.saying("of the guarantee"),
                     given::own_delta.saying("of the guarantee")},
      .example = {R"({"type_one_error": 0.05, "epsilon": 1, "delta": 1e-5})", "0.8640759085770477"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::approximate_log_type_two_error(in.number("type_one_error"), in.number("epsilon"),
                                                                 in.number("delta")));
      }};
  functions["tradeoff.laplace"] = {
      .summary = "trade-off function of Laplace noise",
      .gives = type_two_error,
      .accuracy = "error of the logarithm below 1e-13 (1 + |log|)",
      .kind = ValueKind::exact,
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), section 2.1 and appendix A",
      .parameters = {given::type_one_error,
                     given::own_epsilon.saying("sensitivity over the scale of the noise, its largest privacy loss")},
      .example = {R"({"type_one_error": 0.05, "epsilon": 1})", "0.8640859085770477"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::laplace_log_type_two_error(in.number("type_one_error"), in.number("epsilon")));
      }};
  functions["tradeoff.subsampled_gaussian"] = {
      .summary = "trade-off function C_p(G_mu) of Gaussian noise on a sample of fixed size",
      .gives = type_two_error,
      .accuracy = log_accuracy,
      .kind = ValueKind::exact,
      .adjacency = "replace_one",
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2",
      .note = "exact as that function, which bounds the mechanism",
      .parameters = {fixed_rate, given::mu, given::type_one_error},
      .example = {R"({"rate": 0.1, "mu": 1, "type_one_error": 0.05})", "0.9290488977158556"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::subsampled_gaussian_log_type_two_error(in.number("rate"), in.number("mu"),
                                                                         in.number("type_one_error")));
      }};
  functions["tradeoff.subsampled_gaussian_to_delta"] = {
      .summary = "delta that the trade-off function C_p(G_mu) allows at one epsilon",
      .gives = "delta",
      .accuracy = log_accuracy,
      .kind = ValueKind::exact,
      .adjacency = "replace_one",
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2 and Proposition 2.12",
      .note = "exact as that function, which bounds the mechanism",
      .parameters = {fixed_rate, given::mu, given::epsilon.within(range::finite)},
      .example = {R"({"rate": 0.1, "mu": 1, "epsilon": 0.5})", "0.002032536920340357"},
      .value = [](Inputs& in) {
        return from_log(
            profile::subsampled_gaussian_log_delta(in.number("rate"), in.number("mu"), in.number("epsilon")));
      }};
}

void add_limits(EvalFunctions& functions) {
  constexpr Parameter from_0 = composed_steps.within(range::counts_from_0);
  functions["tradeoff.clt_mu.poisson"] = {
      .summary = "mu of the central limit of Gaussian noise on Poisson samples",
      .gives = "mu of Gaussian differential privacy in the limit",
      .accuracy = "relative error below 1e-12",
      .kind = ValueKind::estimate,
      .adjacency = "add_or_remove_one",
      .source = "Bu, Dong, Long, Su 2020 (arXiv:1911.11607), equation (4)",
      .parameters = {given::rate, given::noise_multiplier, from_0},
      .example = {R"({"rate": 0.01, "noise_multiplier": 1, "steps": 1000})", "0.4145216313365378"},
      .value = [](Inputs& in) {
        return from_log(
            tradeoff::clt_log_mu_poisson(in.number("rate"), in.number("noise_multiplier"), in.number("steps")));
      }};
  functions["tradeoff.clt_mu.without_replacement"] = {
      .summary = "mu of the central limit of Gaussian noise on samples of fixed size",
      .gives = "mu of Gaussian differential privacy in the limit",
      .accuracy = "relative error below 1e-12",
      .kind = ValueKind::estimate,
      .adjacency = "replace_one",
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Corollary 5.4",
      .parameters = {fixed_rate, given::noise_multiplier, from_0},
      .example = {R"({"rate": 0.01, "noise_multiplier": 1, "steps": 1000})", "0.5407945346280164"},
      .value = [](Inputs& in) {
        return from_log(tradeoff::clt_log_mu_without_replacement(in.number("rate"), in.number("noise_multiplier"),
                                                                 in.number("steps")));
      }};
  constexpr Parameter up_to_1000 = given::mu.within(range::closed(0, 1e3));
  functions["tradeoff.subsampled_gaussian_moments"] = {
      .summary = "moments of the loss of the trade-off function C_p(G_mu)",
      .gives = "[Kullback-Leibler divergence, nats; second moment; third absolute central moment]",
      .accuracy = "relative error below 1e-11",
      .kind = ValueKind::exact,
      .adjacency = "replace_one",
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), equations before Theorem 3.4",
      .parameters = {fixed_rate, up_to_1000},
      .example = {R"({"rate": 0.1, "mu": 1})", "[0.010985992816910541, 0.022633210422935344, 0.011474723934026479]"},
      .value = [](Inputs& in) {
        const auto moments = tradeoff::subsampled_gaussian_moments(in.number("rate"), in.number("mu"));
        return list({moments.kl, moments.second, moments.third_centred});
      }};
  functions["tradeoff.berry_esseen"] = {
      .summary = "Gaussian limit of C_p(G_mu) composed, and how far it may be off",
      .gives = "[mu; gamma]: f(a) in [G_mu(a + gamma) - gamma, G_mu(a - gamma) + gamma]; gamma >= 1/2 says nothing",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source = "Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 3.4",
      .parameters = {fixed_rate, up_to_1000, composed_steps.within(range::closed(1, 0x1p53))},
      .example = {R"({"rate": 0.1, "mu": 1, "steps": 100000})", "[46.308132381616105, 0.006015810565068521]"},
      .value = [](Inputs& in) {
        const auto limit = tradeoff::berry_esseen(
            tradeoff::subsampled_gaussian_moments(in.number("rate"), in.number("mu")), in.number("steps"));
        return list({limit.mu, limit.gamma});
      }};
}

void add_federated(EvalFunctions& functions) {
  const std::vector<Parameter> run = {{.name = "client_rate",
                                       .meaning = "probability that a client takes part in a round",
                                       .range = range::probability},
                                      {.name = "rounds",
                                       .meaning = "of the run",
                                       .unit = "rounds",
                                       .type = ParameterType::integer,
                                       .range = range::counts_from_0}};
  functions["tradeoff.federated_reach_probability"] = {
      .summary = "probability that anything a client sent reaches one other client",
      .gives = "1 - (1-p)^R (1 + R p) of client_rate p and R rounds",
      .accuracy = "relative error below 1e-12",
      .kind = ValueKind::exact,
      .adjacency = "replace_one, one record of the client",
      .source = "accounting/tradeoff/proofs.md, 4.1 and 4.2",
      .parameters = run,
      .example = {R"({"client_rate": 0.1, "rounds": 10})", "0.3026431198"},
      .value = [](Inputs& in) {
        return single(tradeoff::federated_reach_probability(in.number("client_rate"), in.number("rounds"),
                                                            tradeoff::FederatedNotion::weak));
      }};
  functions["tradeoff.federated_reach_probability_as_published"] = {
      .summary = "probability that anything a client sent reaches one other client, as the paper has it",
      .gives = "1 - (1 - p^2)^R of client_rate p and R rounds",
      .accuracy = "relative error below 1e-12",
      .kind = ValueKind::refuted,
      .adjacency = "replace_one, one record of the client",
      .source = "Zheng et al. 2021 (arXiv:2102.11158), Theorem 1; accounting/tradeoff/proofs.md, 4.3",
      .note = "smaller than the truth for more than one round and client_rate < 1",
      .parameters = run,
      .example = {R"({"client_rate": 0.1, "rounds": 10})", "0.09561792499119554"},
      .value = [](Inputs& in) {
        return single(
            tradeoff::federated_reach_probability_as_published(in.number("client_rate"), in.number("rounds")));
      }};
}

}  // namespace

void add_tradeoff_functions(EvalFunctions& functions) {
  add_curves(functions);
  add_limits(functions);
  add_federated(functions);
}

}  // namespace dpbudget::tools
