#include "dpbudget/tools/cli/eval/convergence.h"

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/tools/cli/eval/notions.h"

namespace dpbudget::tools {

double noise_std(Inputs& constants) {
  const double std = 2 * constants.number("clip") * constants.number("noise") / constants.number("batch");
  return std == 0 ? 0 : numeric::raised(std, numeric::unit);
}

const std::vector<ConstantInfo>& constants() {
  static const std::vector<ConstantInfo> all = {
      {"smoothness", "nu, L or beta: of every client's objective, its regulariser included"},
      {"strong_convexity", "mu or lambda: of the objective; left out, it is convex alone where that is enough"},
      {"distance", "D: |x^0 - x*|; given, losses are convex"},
      {"gap", "F(x^0) - F*; given without distance, losses are smooth alone"},
      {"noise", "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch"},
      {"clip", "C: L2 norm to which a record's gradient is clipped; the theorems are for gradients below it"},
      {"batch", "records in a batch"},
      {"dimension", "d: parameters of the model"},
      {"users", "M or N: clients"},
      {"participants", "clients in a round; left out, all"},
      {"local_steps", "K or tau: local steps of a participant in a round"},
      {"local_step", "eta_l: left out, that at which a bound is least; of mb-sgd eta"},
      {"server_step", "eta_g; left out, 1"},
      {"gradient_variance", "sigma^2 or phi^2: of one record's gradient in its client, the clients' mean"},
      {"gradient_bound", "G or L of Chen and Lowy: at least the norm of every record's gradient"},
      {"dissimilarity_offset", "G of Noble's Assumption 4: mean |grad F_i|^2 <= G^2 + B^2 |grad F|^2"},
      {"dissimilarity_factor", "B of the same, at least 1; left out, 1"},
      {"heterogeneity", "upsilon^2 (Lowy) or Gamma_n^2 (Chen): mean |grad F_i - grad F|^2 at its largest"},
      {"optima_gap", "Gamma_s (Chen): how far F_i at F's optimum is above the clients' own, in the mean"},
      {"control_error", "C_0 (Chang): mean squared error of the first control variates"},
      {"second_momentum", "beta_2 (Chen's AdDPNFL); left out, 0.99"},
      {"adaptivity", "pi (Chen's AdDPNFL); left out, 0.001"},
      {"gamma", "of ac-sa; left out, that at which the bound for convex losses is least"},
      {"records", "n or R: of one client, for statements at a privacy budget"},
      {"epsilon", "of that budget"},
      {"delta", "of that budget"},
  };
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
    functions[std::string("convergence.").append(statement.name)] = [&statement](Inputs& in) {
      const std::uint64_t rounds = in.count("rounds");
      const Evaluation found = statement.at(in, rounds);
      std::vector<double> values;
      for (const Term& term : found.terms) values.push_back(term.value);
      if (found.total) values.push_back(*found.total);
      for (const Term& step : found.steps) values.push_back(step.value);
      return list(std::move(values));
    };
}

}  // namespace dpbudget::tools
