#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/poisson_gaussian.h"
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

constexpr Parameter any_epsilon = given::epsilon.within(range::finite);
constexpr Parameter direction_parameter = {
    .name = "direction",
    .meaning = "remove: of the mixture against the noise alone; add: of the noise alone against the mixture",
    .unit = "",
    .type = ParameterType::text,
    .choices = {"remove", "add"}};

profile::Direction direction(Inputs& in) {
  const std::string name = in.text("direction");
  require(name == "remove" || name == "add", "direction", name, "remove or add");
  return name == "remove" ? profile::Direction::remove : profile::Direction::add;
}

void add_single_profiles(EvalFunctions& functions) {
  functions["gaussian.delta"] = {
      .summary = "delta of Gaussian noise at one epsilon",
      .gives = "delta",
      .accuracy = at_reference_vectors,
      .kind = ValueKind::exact,
      .source = "Balle, Wang 2018 (arXiv:1805.06530), Theorem 8",
      .parameters = {any_epsilon, given::noise_multiplier},
      .example = {R"({"epsilon": 1, "noise_multiplier": 3})", "0.0002075122020527361"},
      .value = [](Inputs& in) {
        return from_log(profile::gaussian_log_delta(in.number("epsilon"), in.number("noise_multiplier")));
      }};
  functions["gaussian.epsilon"] = {
      .summary = "epsilon of Gaussian noise at one delta",
      .gives = "epsilon, nats; 0 where delta is already less there",
      .accuracy = "relative error below 1e-12 where the delta at epsilon 0 exceeds `delta` by that much",
      .kind = ValueKind::exact,
      .source = "Balle, Wang 2018 (arXiv:1805.06530), Theorem 8",
      .parameters = {given::noise_multiplier, given::delta},
      .example = {R"({"noise_multiplier": 3, "delta": 1e-5})", "1.2710877669435985"},
      .value = [](Inputs& in) {
        return single(profile::gaussian_epsilon(in.number("noise_multiplier"), in.number("delta")));
      }};
  functions["gaussian.noise_multiplier"] = {
      .summary = "the least Gaussian noise for one epsilon and delta",
      .gives = "noise multiplier: standard deviation over the L2 sensitivity",
      .accuracy = "relative error below 1e-11",
      .kind = ValueKind::exact,
      .source = "Balle, Wang 2018 (arXiv:1805.06530), Theorem 8",
      .parameters = {given::epsilon.within(range::closed(0, 1e12)),
                     given::delta.within(range::without_high(1e-307, 1))},
      .example = {R"({"epsilon": 1, "delta": 1e-5})", "3.730631634815943"},
      .value = [](Inputs& in) {
        return single(profile::gaussian_noise_multiplier(in.number("epsilon"), in.number("delta")));
      }};
  functions["discrete_gaussian.delta"] = {
      .summary = "delta of discrete Gaussian noise on an integer at one epsilon",
      .gives = "delta",
      .accuracy = "error of log delta below 1e-12 (1 + |log delta|)",
      .kind = ValueKind::exact,
      .source = "Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Theorem 7",
      .parameters = {any_epsilon,
                     {.name = "sigma",
                      .meaning = "of the noise, P(z) proportional to exp(-z^2 / (2 sigma^2)), not over the sensitivity",
                      .unit = "that of the integer",
                      .range = range::without_low(0, 1e7)},
                     {.name = "sensitivity",
                      .meaning = "of the integer under the adjacency",
                      .unit = "that of the integer",
                      .type = ParameterType::integer,
                      .range = range::counts}},
      .example = {R"({"epsilon": 1, "sigma": 3, "sensitivity": 1})", "0.00021778305226310437"},
      .value = [](Inputs& in) {
        return from_log(
            profile::discrete_gaussian_log_delta(in.number("epsilon"), in.number("sigma"), in.number("sensitivity")));
      }};
}

void add_sampled_profiles(EvalFunctions& functions) {
  functions["poisson_gaussian.delta"] = {
      .summary = "delta of Gaussian noise on a Poisson sample at one epsilon, in one direction",
      .gives = "delta",
      .accuracy = "error of log delta below 1e-12 (1 + |log delta|)",
      .kind = ValueKind::exact,
      .adjacency = "add_or_remove_one, zero_out_one",
      .source =
          "Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 8; Balle, Wang 2018 (arXiv:1805.06530), "
          "Theorem 8",
      .parameters = {given::rate, given::noise_multiplier, any_epsilon, direction_parameter},
      .example = {R"({"rate": 0.01, "noise_multiplier": 1, "epsilon": 0.1, "direction": "remove"})",
                  "7.290037695761231e-05"},
      .value = [](Inputs& in) {
        return from_log(profile::poisson_gaussian_log_delta(in.number("rate"), in.number("noise_multiplier"),
                                                            in.number("epsilon"), direction(in)));
      }};
  functions["poisson_gaussian.composed_delta"] = {
      .summary = "delta of Gaussian noise on up to three Poisson samples composed at one epsilon, in one direction",
      .gives = "delta",
      .accuracy = "error of log delta below 1e-11 (1 + |log delta|)",
      .kind = ValueKind::exact,
      .adjacency = "add_or_remove_one, zero_out_one",
      .source =
          "Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 8; Balle, Wang 2018 (arXiv:1805.06530), "
          "Theorem 8; by quadrature over the losses of all steps but the last",
      .parameters = {given::rate,
                     given::noise_multiplier,
                     any_epsilon,
                     {.name = "steps",
                      .meaning = "how many are composed",
                      .unit = "steps",
                      .type = ParameterType::integer,
                      .range = range::closed(1, 3),
                      .aliases = {"count"}},
                     direction_parameter},
      .example = {R"({"rate": 0.01, "noise_multiplier": 1, "epsilon": 0.1, "steps": 2, "direction": "remove"})",
                  "0.00015451856415506443"},
      .value = [](Inputs& in) {
        const double steps = in.number("steps");
        require(steps == 1 || steps == 2 || steps == 3, "steps", steps, "1, 2 or 3");
        return from_log(profile::poisson_gaussian_composed_log_delta(
            in.number("rate"), in.number("noise_multiplier"), in.number("epsilon"),
            to_integer<std::uint64_t>(steps, "steps"), direction(in)));
      }};
}

}  // namespace

void add_profile_functions(EvalFunctions& functions) {
  add_single_profiles(functions);
  add_sampled_profiles(functions);
}

}  // namespace dpbudget::tools
