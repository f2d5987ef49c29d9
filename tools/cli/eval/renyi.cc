#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/poisson.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"
#include "dpbudget/accounting/renyi/without_replacement.h"
#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {

void add_renyi_functions(EvalFunctions& functions) {
  const auto add = [&](const std::string& name, auto&& function) { functions.emplace(name, function); };

  add("renyi.gaussian",
      [](Inputs& in) { return single(renyi::gaussian(in.number("order"), in.number("noise_multiplier"))); });
  add("renyi.laplace", [](Inputs& in) { return single(renyi::laplace(in.number("order"), in.number("scale"))); });
  add("renyi.randomized_response", [](Inputs& in) {
    return single(renyi::randomized_response(in.number("order"), in.number("truth_probability")));
  });
  add("renyi.pure", [](Inputs& in) { return single(renyi::pure(in.number("order"), in.number("epsilon"))); });

  const auto sampled_gaussian = [&](const std::string& name, auto function) {
    add(name, [function](Inputs& in) {
      return single(function(in.number("sampling_rate"), in.number("noise_multiplier"), in.number("order")));
    });
  };
  sampled_gaussian("renyi.poisson_gaussian", renyi::poisson_gaussian);
  sampled_gaussian("renyi.poisson_gaussian_reverse", renyi::poisson_gaussian_reverse);
  sampled_gaussian("renyi.without_replacement_gaussian", renyi::without_replacement_gaussian);
  sampled_gaussian("renyi.without_replacement_gaussian.uncapped", [](double rate, double noise, double order) {
    return renyi::without_replacement_gaussian_uncapped(rate, noise, order, false);
  });
  sampled_gaussian("renyi.without_replacement_gaussian.ternary_uncapped", [](double rate, double noise, double order) {
    return renyi::without_replacement_gaussian_uncapped(rate, noise, order, true);
  });
  sampled_gaussian("renyi.without_replacement_gaussian.interpolated_uncapped",
                   renyi::without_replacement_gaussian_interpolated_uncapped);
  add("renyi.without_replacement_laplace.uncapped", [](Inputs& in) {
    return single(renyi::without_replacement_laplace_uncapped(in.number("sampling_rate"), in.number("scale"),
                                                              in.number("order")));
  });
  add("renyi.poisson_laplace", [](Inputs& in) {
    return single(renyi::poisson_laplace(in.number("sampling_rate"), in.number("scale"), in.number("order"),
                                         in.number("odd_moment_factor")));
  });

  const auto conversion = [&](const std::string& name, auto function, const std::string& last, auto wrap) {
    add(name, [function, last, wrap](Inputs& in) {
      return wrap(function(in.number("order"), in.number("rdp"), in.number(last)));
    });
  };
  conversion("renyi.to_epsilon.mironov", renyi::to_epsilon_mironov, "delta", single);
  conversion("renyi.to_epsilon.canonne", renyi::to_epsilon_canonne, "delta", single);
  conversion("renyi.to_delta.mironov", renyi::to_log_delta_mironov, "epsilon", from_log);
  conversion("renyi.to_delta.canonne", renyi::to_log_delta_canonne, "epsilon", from_log);
}

}  // namespace dpbudget::tools
