#include "dpbudget/fl/papers/lowy_published.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {
namespace {

constexpr const char* noise_variance = "variance of the noise on a batch's mean gradient, a coordinate";
constexpr Parameter silo_rounds = runs::rounds.within(range::at_least_1);
constexpr Parameter silo_records = runs::records.saying("of a silo");
constexpr Parameter budget_epsilon = given::epsilon.saying("of the budget").within(range::positive);
constexpr Parameter budget_delta = given::delta.saying("of the budget");

}  // namespace

void add_algorithm_functions(EvalFunctions& functions) {
  functions["algorithm.lowy_advanced_composition_variance"] = {
      .summary = "noise that Lowy and Razaviyayn prescribe for MB-SGD, by advanced composition",
      .gives = noise_variance,
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::published,
      .adjacency = "replace_one, one record of a silo",
      .source = "Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem D.1 by way of appendix D.8",
      .note =
          "it claims a privacy only where batch >= epsilon records / (4 sqrt(2 rounds log(2/delta))) and epsilon <= "
          "2 log(2/delta)",
      .parameters = {runs::lipschitz, silo_rounds, runs::batch.under("at most records"), silo_records, budget_epsilon,
                     budget_delta.under("below 2.5 rounds batch / records")},
      .example = {R"({"lipschitz": 1, "rounds": 25, "batch": 100, "records": 1000, "epsilon": 1, "delta": 1e-6})",
                  "1.4530099929853397"},
      .value = [](Inputs& in) {
        return single(fl::lowy_advanced_composition_variance(in.number("lipschitz"), in.number("rounds"),
                                                             in.number("batch"), in.number("records"),
                                                             in.number("epsilon"), in.number("delta")));
      }};
  functions["algorithm.lowy_experiment_variance"] = {
      .summary = "noise that Lowy and Razaviyayn's experiments use",
      .gives = noise_variance,
      .accuracy = "relative error below 1e-14",
      .kind = ValueKind::refuted,
      .adjacency = "replace_one, one record of a silo",
      .source = "Lowy, Razaviyayn 2023 (arXiv:2106.09779), section 4, by reference to Abadi et al. 2016, Theorem 1",
      .note = "false for large epsilon: account for the noise by a plan",
      .parameters = {runs::lipschitz, silo_rounds, silo_records, budget_epsilon, budget_delta},
      .example = {R"({"lipschitz": 1, "rounds": 25, "records": 1000, "epsilon": 1, "delta": 1e-6})",
                  "0.0027631021115928547"},
      .value = [](Inputs& in) {
        return single(fl::lowy_experiment_variance(in.number("lipschitz"), in.number("rounds"), in.number("records"),
                                                   in.number("epsilon"), in.number("delta")));
      }};
}

}  // namespace dpbudget::tools
