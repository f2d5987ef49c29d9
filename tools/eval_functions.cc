#include "dpbudget/tools/eval_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/profile/discrete_gaussian.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/poisson_gaussian.h"
#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/poisson.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"
#include "dpbudget/accounting/renyi/without_replacement.h"
#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/noble_published.h"
#include "dpbudget/tools/bound_output.h"

namespace dpbudget::tools {
namespace {

// A double holds the value to full precision inside these; outside, its logarithm is given as well.
constexpr double least_plain = 1e-290;
constexpr double greatest_plain = 1e290;

Evaluated single(double value) { return {{value}, false, std::nullopt}; }
Evaluated from_log(double log_value) { return {{std::exp(log_value)}, false, log_value}; }

using Functions = std::map<std::string, EvalFunction>;

profile::Direction direction(Inputs& in) {
  const std::string name = in.text("direction");
  require(name == "remove" || name == "add", "direction", name, "remove or add");
  return name == "remove" ? profile::Direction::remove : profile::Direction::add;
}

void add_profiles(Functions& functions) {
  functions["gaussian.delta"] = [](Inputs& in) {
    return from_log(profile::gaussian_log_delta(in.number("epsilon"), in.number("noise_multiplier")));
  };
  functions["gaussian.epsilon"] = [](Inputs& in) {
    return single(profile::gaussian_epsilon(in.number("noise_multiplier"), in.number("delta")));
  };
  functions["gaussian.noise_multiplier"] = [](Inputs& in) {
    return single(profile::gaussian_noise_multiplier(in.number("epsilon"), in.number("delta")));
  };
  functions["discrete_gaussian.delta"] = [](Inputs& in) {
    return from_log(
        profile::discrete_gaussian_log_delta(in.number("epsilon"), in.number("sigma"), in.number("sensitivity")));
  };
  functions["poisson_gaussian.delta"] = [](Inputs& in) {
    return from_log(profile::poisson_gaussian_log_delta(in.number("sampling_rate"), in.number("noise_multiplier"),
                                                        in.number("epsilon"), direction(in)));
  };
  functions["poisson_gaussian.composed_delta"] = [](Inputs& in) {
    const double steps = in.number("steps");
    require(steps == 1 || steps == 2 || steps == 3, "steps", steps, "1, 2 or 3");
    return from_log(profile::poisson_gaussian_composed_log_delta(in.number("sampling_rate"),
                                                                 in.number("noise_multiplier"), in.number("epsilon"),
                                                                 static_cast<std::uint64_t>(steps), direction(in)));
  };
  functions["tradeoff.subsampled_gaussian_to_delta"] = [](Inputs& in) {
    return from_log(
        profile::subsampled_gaussian_log_delta(in.number("sampling_rate"), in.number("mu"), in.number("epsilon")));
  };
}

Functions make_functions() {
  Functions functions;
  add_profiles(functions);
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

  add("algorithm.noble_third_party_epsilon_as_published", [](Inputs& in) {
    const double max_order = in.number_or("max_order", 100);
    require(max_order == std::floor(max_order) && 2 <= max_order && max_order <= 1000, "max_order", max_order,
            "an integer in [2, 1000]");
    const fl::PublishedClaim claim = fl::noble_third_party_epsilon_as_published(
        in.number("rounds"), in.number("local_steps"), in.number("users"), in.number("user_rate"),
        in.number("record_rate"), in.number("noise_multiplier"), in.number("delta"), static_cast<int>(max_order));
    return Evaluated{{claim.epsilon, claim.order}, true, std::nullopt};
  });
  return functions;
}

}  // namespace

Inputs::Inputs(const nlohmann::json& inputs) : inputs_(inputs) {
  if (!inputs.is_object()) throw InvalidArgument("inputs must be a JSON object");
}

const nlohmann::json& Inputs::at(const std::string& name) {
  asked_.push_back(name);
  const auto found = inputs_.find(name);
  if (found == inputs_.end()) throw InvalidArgument(fmt::format("{} is missing", name));
  return *found;
}

double Inputs::number(const std::string& name) {
  const nlohmann::json& found = at(name);
  if (found.is_number()) return found.get<double>();
  if (found == "inf") return std::numeric_limits<double>::infinity();
  if (found == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw InvalidArgument(fmt::format("{} is {}, but must be a number", name, found.dump()));
}

std::string Inputs::text(const std::string& name) {
  const nlohmann::json& found = at(name);
  if (!found.is_string()) throw InvalidArgument(fmt::format("{} is {}, but must be a string", name, found.dump()));
  return found.get<std::string>();
}

double Inputs::number_or(const std::string& name, double fallback) {
  return inputs_.contains(name) ? number(name) : fallback;
}

void Inputs::done() const {
  for (const auto& [name, value] : inputs_.items())
    if (std::ranges::find(asked_, name) == asked_.end())
      throw InvalidArgument(fmt::format("{} is not an input of this function", name));
}

const Functions& eval_functions() {
  static const Functions functions = make_functions();
  return functions;
}

nlohmann::json evaluate(const nlohmann::json& query) {
  nlohmann::json answer{{"id", query.value("id", nlohmann::json())}};
  try {
    const std::string name = query.value("function", "");
    const auto function = eval_functions().find(name);
    if (function == eval_functions().end()) throw InvalidArgument(fmt::format("function `{}` is unknown", name));
    const nlohmann::json given = query.value("inputs", nlohmann::json::object());
    Inputs inputs(given);
    const Evaluated evaluated = function->second(inputs);
    inputs.done();
    for (const double value : evaluated.values)
      if (std::isnan(value)) throw InvalidArgument("the value cannot be computed in double precision for these inputs");
    if (evaluated.is_list) {
      nlohmann::json list = nlohmann::json::array();
      for (const double value : evaluated.values) list.push_back(json_number(value));
      answer["value"] = list;
    } else {
      const double value = evaluated.values.front();
      answer["value"] = json_number(value);
      if (evaluated.log_value && !(least_plain <= value && value <= greatest_plain))
        answer["ln_value"] = json_number(*evaluated.log_value);
    }
  } catch (const InvalidArgument& refusal) {
    answer.erase("value");
    answer["refused"] = refusal.what();
  } catch (const nlohmann::json::exception& error) {
    answer["refused"] = fmt::format("the query is not of the form {{id, function, inputs}}: {}", error.what());
  }
  return answer;
}

}  // namespace dpbudget::tools
