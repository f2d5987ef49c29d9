#include "dpbudget/accounting/risk/risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

constexpr std::size_t name_width = 24;
constexpr std::string_view by_lines = "trade-off function by lines of delta: accounting/risk/proofs.md";

struct RiskOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double fpr = 0.01;
  double prior = 0.5;
  double baseline = 0.1;
  bool json = false;
  std::optional<std::string> plot;
};

struct Risks {
  Bound reason;
  numeric::Bracket advantage;
  numeric::Bracket true_positive_rate;
  numeric::Bracket posterior;
  double reconstruction;
};

Risks risks_of(const RiskOptions& options, const Plan& plan) {
  require(0 < options.fpr && options.fpr < 1, "fpr", options.fpr, "in (0, 1)");
  require(0 < options.prior && options.prior < 1, "prior", options.prior, "in (0, 1)");
  require(0 < options.baseline && options.baseline < 1, "baseline", options.baseline, "in (0, 1)");
  risk::Attacker attacker(plan, options.accountant.name, options.accountant.tolerance);
  const numeric::Bracket found = attacker.true_positive_rate(options.fpr);
  // What success a reconstruction has is at most the rate at that of the prior: accounting/risk/proofs.md, 3.2.
  return {attacker.reason(), attacker.advantage(), found, risk::posterior(options.prior, options.fpr, found),
          attacker.true_positive_rate(options.baseline).upper};
}

Bound as_bound(const numeric::Bracket& ends, Guarantee guarantee) {
  return {ends.lower, ends.upper, guarantee, {}, {}};
}

nlohmann::json ends_json(const numeric::Bracket& ends) { return {{"lower", ends.lower}, {"upper", ends.upper}}; }

// True- by false-positive rate, both on logarithmic scales, for what matters is at small ones.
Plot drawn(const RiskOptions& options, const Plan& plan) {
  constexpr int points_of_a_decade = 12;
  const double least = std::min(1e-5, options.fpr / 10);
  std::vector<double> rates;
  for (int i = 0; least * std::pow(10, i / double{points_of_a_decade}) < 1; ++i)
    rates.push_back(least * std::pow(10, i / double{points_of_a_decade}));
  risk::Attacker attacker(plan, options.accountant.name, options.accountant.tolerance);
  const std::vector<numeric::Bracket> ends = attacker.true_positive_rates(rates);
  rates.push_back(1);
  const auto curve = [&](double numeric::Bracket::* end) {
    std::vector<double> values;
    for (const numeric::Bracket& each : ends) values.push_back(each.*end);
    values.push_back(1);
    return values;
  };
  const bool is_estimate = attacker.reason().guarantee == Guarantee::estimate;
  return {.title = fmt::format("{}\n{}", shortened_text(plan.event), to_string(plan.adjacency)),
          .x_label = "false-positive rate",
          .y_label = "true-positive rate",
          .has_log_x = true,
          .has_log_y = true,
          .lines = {{is_estimate ? "at most (estimate)" : "at most", rates, curve(&numeric::Bracket::upper),
                     is_estimate ? Stroke::dashed : Stroke::solid},
                    {"at least", rates, curve(&numeric::Bracket::lower)},
                    {"who guesses", rates, rates, Stroke::shadow}}};
}

void run(const RiskOptions& options, Page& page) {
  if (options.plot) check_plot_file(*options.plot, options.plan.files());
  const Plan plan = options.plan.known_plan();
  const Risks found = risks_of(options, plan);
  // The smaller the advantage, the larger the error.
  const numeric::Bracket error{(1 - found.advantage.upper) / 2, (1 - found.advantage.lower) / 2};
  const auto ends_text = [&](const numeric::Bracket& ends) {
    return bracket_text(as_bound(ends, found.reason.guarantee));
  };
  page.assume(plan);
  page.assume("attacker", "who sees the output finds out about one record, by any test");
  page.answer("plan", to_text(plan.event));
  page.answer("advantage", ends_text(found.advantage));
  page.answer(fmt::format("TPR at FPR {}", options.fpr), ends_text(found.true_positive_rate));
  page.answer(fmt::format("posterior from {}", options.prior), ends_text(found.posterior));
  page.answer(fmt::format("reconstruction from {}", options.baseline), ends_text({0, found.reconstruction}),
              found.reason);
  page.rest_on({0, 0, Guarantee::proven, {std::string(by_lines)}, {}});
  page.figure("true- against false-positive rate", [&] { return drawn(options, plan); });
  if (options.json) {
    nlohmann::json tpr = ends_json(found.true_positive_rate);
    tpr["fpr"] = options.fpr;
    nlohmann::json posterior = ends_json(found.posterior);
    posterior["prior"] = options.prior;
    std::cout << nlohmann::json{{"plan", dpbudget::to_json(plan)},
                                {"guarantee", to_string(found.reason.guarantee)},
                                {"advantage", ends_json(found.advantage)},
                                {"balanced_error", ends_json(error)},
                                {"true_positive_rate", tpr},
                                {"posterior", posterior},
                                {"reconstruction", {{"baseline", options.baseline}, {"upper", found.reconstruction}}},
                                {"theorems", found.reason.theorems},
                                {"notes", found.reason.notes},
                                {"accountant", found.reason.accountant}}
              << "\n";
    if (options.plot) write_plot(drawn(options, plan), *options.plot);
    return;
  }
  const auto line = [&](const std::string& name, const numeric::Bracket& ends) {
    return field(name, ends_text(ends), name_width);
  };
  std::cout << plan_lines(plan) << "\nWhat an attacker who sees the output finds out about one record:\n"
            << line("advantage", found.advantage)
            << line(fmt::format("TPR at FPR {}", options.fpr), found.true_positive_rate)
            << line(fmt::format("posterior from {}", options.prior), found.posterior)
            << line(fmt::format("reconstruction from {}", options.baseline), {0, found.reconstruction}) << "\n"
            << reason_lines(found.reason) << field("", by_lines);
  if (options.plot) {
    write_plot(drawn(options, plan), *options.plot);
    std::cout << field("plot", *options.plot);
  }
}

}  // namespace

void add_risk(Program& program, int& /*status*/) {
  auto options = std::make_shared<RiskOptions>();
  const Command command = program.add("risk", "what an attacker can find out about a record");
  if (!command.is_named()) return;
  command.footer(
      "advantage: the largest difference of true- and false-positive rate (TPR, FPR) of a test for membership.\n"
      "posterior: the largest probability that a positive of such a test is right, at the FPR asked for.\n"
      "reconstruction: the largest probability of a success that is had without the output with that of --baseline.\n"
      "Upper ends hold for every attacker; lower ones are reached by one, on some neighbouring data sets.\n"
      "Example:\n  dpbudget risk \"1000 x poisson(0.01, gaussian(1))\" --fpr 0.001 --prior 0.1");
  options->plan.add_to(command);
  number_option(command, "--fpr", options->fpr, "false-positive rate of the test, in (0, 1)");
  number_option(command, "--prior", options->prior, "probability of membership before, in (0, 1)");
  number_option(command, "--baseline", options->baseline,
                "probability of reconstructing a record without the output, in (0, 1)");
  options->accountant.add_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command
      .option("--plot", options->plot,
              "draw true- by false-positive rates into this .svg, .png or .pdf (needs gnuplot)")
      .type("FILE");
  command.action([options, &page = program.page()] { run(*options, page); });
}

}  // namespace dpbudget::tools
