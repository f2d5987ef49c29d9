#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/accounting/tradeoff/central_limit.h"
#include "dpbudget/accounting/tradeoff/closed_forms.h"
#include "dpbudget/accounting/tradeoff/federated.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

void add_curves(EvalFunctions& functions) {
  functions["tradeoff.gaussian"] = [](Inputs& in) {
    return from_log(tradeoff::gaussian_log_type_two_error(in.number("mu"), in.number("type_one_error")));
  };
  functions["tradeoff.gaussian_to_delta"] = [](Inputs& in) {
    return from_log(tradeoff::gaussian_to_log_delta(in.number("mu"), in.number("epsilon")));
  };
  functions["tradeoff.approximate"] = [](Inputs& in) {
    return from_log(tradeoff::approximate_log_type_two_error(in.number("type_one_error"), in.number("epsilon"),
                                                             in.number("delta")));
  };
  functions["tradeoff.laplace"] = [](Inputs& in) {
    return from_log(tradeoff::laplace_log_type_two_error(in.number("type_one_error"), in.number("epsilon")));
  };
  functions["tradeoff.subsampled_gaussian"] = [](Inputs& in) {
    return from_log(tradeoff::subsampled_gaussian_log_type_two_error(in.number("sampling_rate"), in.number("mu"),
                                                                     in.number("type_one_error")));
  };
  functions["tradeoff.subsampled_gaussian_to_delta"] = [](Inputs& in) {
    return from_log(
        profile::subsampled_gaussian_log_delta(in.number("sampling_rate"), in.number("mu"), in.number("epsilon")));
  };
}

void add_limits(EvalFunctions& functions) {
  functions["tradeoff.clt_mu.poisson"] = [](Inputs& in) {
    return from_log(
        tradeoff::clt_log_mu_poisson(in.number("sampling_rate"), in.number("noise_multiplier"), in.number("steps")));
  };
  functions["tradeoff.clt_mu.without_replacement"] = [](Inputs& in) {
    return from_log(tradeoff::clt_log_mu_without_replacement(in.number("sampling_rate"), in.number("noise_multiplier"),
                                                             in.number("steps")));
  };
  functions["tradeoff.subsampled_gaussian_moments"] = [](Inputs& in) {
    const auto moments = tradeoff::subsampled_gaussian_moments(in.number("sampling_rate"), in.number("mu"));
    return list({moments.kl, moments.second, moments.third_centred});
  };
  functions["tradeoff.berry_esseen"] = [](Inputs& in) {
    const auto limit = tradeoff::berry_esseen(
        tradeoff::subsampled_gaussian_moments(in.number("sampling_rate"), in.number("mu")), in.number("steps"));
    return list({limit.mu, limit.gamma});
  };
}

}  // namespace

void add_tradeoff_functions(EvalFunctions& functions) {
  add_curves(functions);
  add_limits(functions);
  functions["tradeoff.federated_reach_probability"] = [](Inputs& in) {
    return single(tradeoff::federated_reach_probability(in.number("client_rate"), in.number("rounds"),
                                                        tradeoff::FederatedNotion::weak));
  };
  functions["tradeoff.federated_reach_probability_as_published"] = [](Inputs& in) {
    return single(tradeoff::federated_reach_probability_as_published(in.number("client_rate"), in.number("rounds")));
  };
}

}  // namespace dpbudget::tools
