#include "dpbudget/tools/cli/eval/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/tools/cli/eval/notions.h"
#include "dpbudget/tools/cli/eval/runs.h"

namespace dpbudget::tools {
namespace {

constexpr Parameter whole_number_of_rounds = runs::rounds.counting(range::counts).saying("T or R: of the run");

ValueKind kind_of(Standing standing) {
  switch (standing) {
    case Standing::proven:
      return ValueKind::rounded_bound;
    case Standing::published:
      return ValueKind::published;
    case Standing::refuted:
      return ValueKind::refuted;
    case Standing::order:
      break;
  }
  return ValueKind::order;
}

Evaluated all_terms(const Evaluation& found) {
  std::vector<double> values;
  for (const Term& term : found.terms) values.push_back(term.value);
  if (found.total) values.push_back(*found.total);
  for (const Term& step : found.steps) values.push_back(step.value);
  return list(std::move(values));
}

}  // namespace

double noise_std(Inputs& constants) {
  const double clip = constants.number("clip");
  const double noise = constants.number("noise");
  const double batch = constants.number("batch");
  require(0 < clip && std::isfinite(clip), "clip", clip, "positive and finite");
  require(0 <= noise && std::isfinite(noise), "noise", noise, "finite and at least 0");
  require(1 <= batch && std::isfinite(batch), "batch", batch, "finite and at least 1");
  const double std = 2 * clip * noise / batch;
  return std == 0 ? 0 : numeric::raised(std, numeric::unit);
}

const std::vector<Parameter>& constants() {
  const std::string_view gradients = "gradient norm";
  const std::string_view squared = "squared gradient norm";
  const std::string_view losses = "loss";
  const std::string_view curvature = "loss per squared distance";
  const std::string_view step = "distance per gradient norm";
  static const std::vector<Parameter> all = {
      {.name = "smoothness",
       .meaning = "nu, L or beta: of every client's objective, its regulariser included",
       .unit = curvature,
       .range = range::positive},
      {.name = "strong_convexity",
       .meaning = "mu or lambda: of the objective",
       .unit = curvature,
       .range = range::not_negative,
       .condition = "at most smoothness",
       .left_out = "it is convex alone where that is enough"},
      {.name = "distance",
       .meaning = "D: |x^0 - x*|; given, losses are convex",
       .unit = "distance",
       .range = range::positive},
      {.name = "gap",
       .meaning = "F(x^0) - F*; given without distance, losses are smooth alone",
       .unit = losses,
       .range = range::positive},
      {.name = "noise",
       .meaning = "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch",
       .range = range::not_negative,
       .aliases = {"noise_multiplier"}},
      {.name = "clip",
       .meaning = "C: L2 norm to which a record's gradient is clipped; the theorems are for gradients below it",
       .unit = gradients,
       .range = range::positive,
       .aliases = {"clip_norm"}},
      {.name = "batch", .meaning = "records in a batch", .unit = "records", .range = range::at_least_1},
      {.name = "dimension", .meaning = "d: parameters of the model", .range = range::at_least_1},
      {.name = "users",
       .meaning = "M or N: clients",
       .unit = "clients",
       .range = range::at_least_1,
       .library_names = {"silos", "clients"}},
      {.name = "participants",
       .meaning = "clients in a round",
       .unit = "clients",
       .range = range::at_least_1,
       .condition = "at most users",
       .left_out = "all"},
      {.name = "local_steps",
       .meaning = "K or tau: local steps of a participant in a round",
       .unit = "steps",
       .range = range::at_least_1},
      {.name = "local_step",
       .meaning = "eta_l, of mb-sgd eta",
       .unit = step,
       .range = range::positive,
       .condition = "as large as the statement allows",
       .left_out = "that at which a bound is least",
       .library_names = {"step"}},
      {.name = "server_step",
       .meaning = "eta_g",
       .range = range::at_least_1,
       .left_out = "1",
       .library_names = {"global_step"}},
      {.name = "gradient_variance",
       .meaning = "sigma^2 or phi^2: of one record's gradient in its client, the clients' mean",
       .unit = squared,
       .range = range::not_negative},
      {.name = "gradient_bound",
       .meaning = "G or L of Chen and Lowy: at least the norm of every record's gradient",
       .unit = gradients,
       .range = range::positive,
       .library_names = {"lipschitz"}},
      {.name = "dissimilarity_offset",
       .meaning = "G of Noble's Assumption 4: mean |grad F_i|^2 <= G^2 + B^2 |grad F|^2",
       .unit = gradients,
       .range = range::not_negative,
       .library_names = {"offset"}},
      {.name = "dissimilarity_factor",
       .meaning = "B of the same",
       .range = range::at_least_1,
       .left_out = "1",
       .library_names = {"factor"}},
      {.name = "heterogeneity",
       .meaning = "upsilon^2 (Lowy) or Gamma_n^2 (Chen): mean |grad F_i - grad F|^2 at its largest",
       .unit = squared,
       .range = range::not_negative,
       .library_names = {"silo_heterogeneity", "dissimilarity"}},
      {.name = "optima_gap",
       .meaning = "Gamma_s (Chen): how far F_i at F's optimum is above the clients' own, in the mean",
       .unit = losses,
       .range = range::not_negative,
       .library_names = {"gap"}},
      {.name = "control_error",
       .meaning = "C_0 (Chang): mean squared error of the first control variates",
       .unit = squared,
       .range = range::not_negative},
      {.name = "second_momentum", .meaning = "beta_2 (Chen's AdDPNFL)", .range = range::inside_0_1, .left_out = "0.99"},
      {.name = "adaptivity",
       .meaning = "pi (Chen's AdDPNFL)",
       .unit = gradients,
       .range = range::positive,
       .left_out = "0.001"},
      {.name = "gamma",
       .meaning = "of ac-sa",
       .unit = curvature,
       .range = range::positive,
       .condition = "as large as the statement asks",
       .left_out = "that at which the bound for convex losses is least"},
      {.name = "records",
       .meaning = "n or R: of one client, for statements at a privacy budget",
       .unit = "records",
       .range = range::at_least_1},
      {.name = "epsilon", .meaning = "of that budget", .unit = "nats", .range = range::positive},
      {.name = "delta", .meaning = "of that budget", .range = range::inside_0_1},
  };
  return all;
}

const Parameter& constant(std::string_view name) { return *std::ranges::find(constants(), name, &Parameter::name); }

std::vector<Parameter> constants_of(std::initializer_list<std::string_view> names) {
  std::vector<Parameter> found;
  for (const std::string_view name : names) found.push_back(constant(name));
  return found;
}

std::vector<Parameter> joined(std::initializer_list<std::vector<Parameter>> lists) {
  std::vector<Parameter> all;
  for (const std::vector<Parameter>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all = [] {
    std::vector<Statement> listed;
    add_noble_statements(listed);
    add_chang_statements(listed);
    add_chen_statements(listed);
    add_lowy_statements(listed);
    return listed;
  }();
  return all;
}

void add_convergence_functions(EvalFunctions& functions) {
  for (const Statement& statement : statements())
    functions[std::string("convergence.").append(statement.name)] = {
        .summary = std::string(statement.measures),
        .gives = fmt::format("[{}]", statement.terms),
        .accuracy = statement.standing == Standing::proven ? "each term rounded up" : "in double precision",
        .kind = kind_of(statement.standing),
        .adjacency = "",
        .source = std::string(statement.source),
        .note = std::string(statement.note),
        .parameters = joined({{whole_number_of_rounds}, statement.constants}),
        .example = {statement.example, statement.value},
        .value = [&statement](Inputs& in) {
          const std::uint64_t rounds = in.count("rounds");
          require(1 <= rounds, "rounds", rounds, "an integer in [1, 2^53]");
          return all_terms(statement.at(in, rounds));
        }};
}

}  // namespace dpbudget::tools
