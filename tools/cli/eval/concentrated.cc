#include <cmath>

#include "dpbudget/accounting/concentrated/amplification.h"
#include "dpbudget/accounting/concentrated/dpnfl.h"
#include "dpbudget/accounting/concentrated/tcdp.h"
#include "dpbudget/accounting/concentrated/zcdp.h"
#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {
namespace {

constexpr const char* truncated_source =
    "Bun, Dwork, Rothblum, Steinke 2018, Lemma 6; its first branch is Chen et al. 2024, Lemma 2";

void add_zcdp(EvalFunctions& functions) {
  functions["concentrated.zcdp_to_epsilon"] = {
      .summary = "epsilon of rho-zCDP by the closed form rho + 2 sqrt(rho log(1/delta))",
      .gives = "epsilon, nats",
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::upper_bound,
      .source = "Bun, Steinke 2016 (arXiv:1605.02065), Proposition 1.3",
      .parameters = {given::rho, given::delta},
      .example = {R"({"rho": 0.1, "delta": 1e-5})", "2.2459660262893473"},
      .value = [](Inputs& in) { return single(concentrated::zcdp_to_epsilon(in.number("rho"), in.number("delta"))); }};
  functions["concentrated.zcdp_to_epsilon.optimal"] = {
      .summary = "epsilon of rho-zCDP at the best order of the sharper conversion",
      .gives = "epsilon, nats",
      .accuracy = "relative error below 1e-13, or 1e-18 times the larger of two terms that nearly cancel",
      .kind = ValueKind::upper_bound,
      .source =
          "Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Proposition 12; accounting/concentrated/proofs.md, "
          "2.1",
      .parameters = {given::rho, given::delta},
      .example = {R"({"rho": 0.1, "delta": 1e-5})", "1.914238832003598"},
      .value = [](Inputs& in) {
        return single(concentrated::zcdp_to_epsilon_optimal(in.number("rho"), in.number("delta")));
      }};
  functions["concentrated.zcdp_to_delta"] = {
      .summary = "delta of rho-zCDP by the closed form exp(-(epsilon - rho)^2 / (4 rho))",
      .gives = "delta",
      .accuracy = "relative error of log delta below 1e-14",
      .kind = ValueKind::upper_bound,
      .source = "Bun, Steinke 2016 (arXiv:1605.02065), Proposition 1.3",
      .parameters = {given::rho, given::epsilon},
      .example = {R"({"rho": 0.1, "epsilon": 2})", "0.00012036280516721338"},
      .value = [](Inputs& in) {
        return from_log(concentrated::zcdp_to_log_delta(in.number("rho"), in.number("epsilon")));
      }};
}

void add_tcdp(EvalFunctions& functions) {
  functions["concentrated.tcdp_to_epsilon"] = {
      .summary = "epsilon of (rho, omega)-tCDP by the closed form",
      .gives = "epsilon, nats",
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::upper_bound,
      .source = truncated_source,
      .parameters = {given::rho, given::omega, given::delta},
      .example = {R"({"rho": 0.1, "omega": 5, "delta": 1e-5})", "3.378231366242557"},
      .value = [](Inputs& in) {
        return single(concentrated::tcdp_to_epsilon(in.number("rho"), in.number("omega"), in.number("delta")));
      }};
  functions["concentrated.tcdp_to_delta"] = {
      .summary = "delta of (rho, omega)-tCDP by the closed form",
      .gives = "delta",
      .accuracy = "relative error of log delta below 1e-14",
      .kind = ValueKind::upper_bound,
      .source = truncated_source,
      .parameters = {given::rho, given::omega, given::epsilon},
      .example = {R"({"rho": 0.1, "omega": 5, "epsilon": 2})", "0.0024787521766663585"},
      .value = [](Inputs& in) {
        return from_log(concentrated::tcdp_to_log_delta(in.number("rho"), in.number("omega"), in.number("epsilon")));
      }};
  functions["concentrated.tcdp_amplify"] = {
      .summary = "(rho, omega)-tCDP of a mechanism on a sample of fixed size",
      .gives = "[rho, nats; omega]",
      .accuracy = "relative error below 1e-15",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one",
      .source =
          "Bun, Dwork, Rothblum, Steinke 2018, amplification by subsampling, as Chen et al. 2024, Lemma 4, states "
          "it",
      .note = "it needs log(1/rate) >= 3 rho (2 + log2(1/rho)) and omega >= log(1/rate) / (2 rho) >= 3",
      .parameters = {given::rate.saying("the sample's share of the records").within(range::without_low(0, 0.1)),
                     given::rho.within(range::without_low(0, 0.1)), given::omega},
      .example = {R"({"rate": 0.01, "rho": 0.05, "omega": 100})", "[6.500000000000001e-05, 23.025850929940454]"},
      .value = [](Inputs& in) {
        const double rate = in.number("rate");
        const double rho = in.number("rho");
        const auto amplified = concentrated::tcdp_amplify(rate, {rho, in.number("omega")});
        // In logarithms neither end leaves the range of a double.
        Evaluated both = list({amplified.rho, amplified.omega});
        both.log_values = {std::log(13.0) + 2 * std::log(rate) + std::log(rho),
                           std::log(-std::log(rate)) - std::log(4.0) - std::log(rho)};
        return both;
      }};
}

void add_dpnfl(EvalFunctions& functions) {
  constexpr Parameter whole = {.name = "", .meaning = "", .type = ParameterType::integer, .range = range::counts};
  const auto counted = [&](std::string_view name, std::string_view meaning, std::string_view unit) {
    Parameter parameter = whole.saying(meaning);
    parameter.name = name;
    parameter.unit = unit;
    return parameter;
  };
  functions["concentrated.dpnfl_theorem5"] = {
      .summary = "what DPNFL's Theorem 5 says of one client",
      .gives = "[rho, nats; omega; epsilon, nats; log delta] where log(1/delta) = (omega - 1)^2 rho",
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::upper_bound,
      .adjacency = "replace_one, one record of the client",
      .source = "Chen et al. 2024 (Differentially Private Federated Learning on Non-iid Data), Theorem 5",
      .note = "refused where the amplification's preconditions fail: see concentrated.tcdp_amplify",
      .parameters = {counted("participations", "rounds in which the client takes part; not their expectation",
                             "rounds"),
                     counted("local_steps", "in each of these rounds", "steps"),
                     {.name = "gradient_bound",
                      .meaning = "of the L2 norm of every record's gradient",
                      .unit = "gradient norm",
                      .range = range::positive},
                     counted("records", "of the client", "records"),
                     counted("batch", "records drawn in each step", "records").under("at most records"),
                     {.name = "noise_std",
                      .meaning = "standard deviation of the noise on a batch's mean gradient, a coordinate",
                      .unit = "gradient norm",
                      .range = range::positive}},
      .example = {R"({"participations": 10, "local_steps": 5, "gradient_bound": 1, "records": 10000, "batch": 100, )"
                  R"("noise_std": 0.5})",
                  "[5.200000000000001e-05, 1439.1156831212784, 0.149616031044613, -107.54518933804785]"},
      .value = [](Inputs& in) {
        const concentrated::Dpnfl training{in.number("participations"), in.number("local_steps"),
                                           in.number("gradient_bound"), in.number("records"), in.number("batch")};
        const auto claim = concentrated::dpnfl_theorem5(training, in.number("noise_std"));
        return list({claim.tcdp.rho, claim.tcdp.omega, claim.epsilon, claim.log_delta});
      }};
}

}  // namespace

void add_concentrated_functions(EvalFunctions& functions) {
  add_zcdp(functions);
  add_tcdp(functions);
  add_dpnfl(functions);
}

}  // namespace dpbudget::tools
