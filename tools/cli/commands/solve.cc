#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/risk/calibrate.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/tools/cli/check/certificate.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/figures.h"

namespace dpbudget::tools {
namespace {

struct SolveOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> advantage;
  std::optional<double> tpr;
  std::optional<double> fpr;
  std::string certificate;
  bool json = false;
};

// What the value is to stay within, in words and for JSON.
struct Limit {
  std::string text;
  std::string spent;  // of what at_value is a bound
  nlohmann::json json;
};

Limit limit_of(const SolveOptions& options) {
  const int budgets = static_cast<int>(options.epsilon || options.delta) +
                      static_cast<int>(options.advantage.has_value()) + static_cast<int>(options.tpr || options.fpr);
  const bool is_whole =
      options.epsilon.has_value() == options.delta.has_value() && options.tpr.has_value() == options.fpr.has_value();
  if (budgets != 1 || !is_whole)
    throw InvalidArgument(
        "give --epsilon and --delta, or --advantage, or --tpr and --fpr: what the value is to stay within");
  if (options.epsilon)
    return {fmt::format("epsilon {}, delta {}", *options.epsilon, *options.delta),
            "epsilon",
            {{"epsilon", *options.epsilon}, {"delta", *options.delta}}};
  if (options.advantage)
    return {fmt::format("advantage {}", *options.advantage), "advantage", {{"advantage", *options.advantage}}};
  return {fmt::format("TPR {} at FPR {}", *options.tpr, *options.fpr),
          "TPR",
          {{"tpr", *options.tpr}, {"fpr", *options.fpr}}};
}

solve::Solution solution_of(const SolveOptions& options, const Plan& plan) {
  const auto& [name, tolerance] = options.accountant;
  if (options.epsilon) return solve::unknown(plan, name, tolerance, *options.epsilon, *options.delta).value();
  if (options.advantage) return risk::for_advantage(plan, name, tolerance, *options.advantage).value();
  return risk::for_true_positive_rate(plan, name, tolerance, *options.tpr, *options.fpr).value();
}

void check_certificate(const SolveOptions& options) {
  if (options.certificate.empty()) return;
  if (!options.epsilon) throw InvalidArgument("--certificate is of an epsilon at a delta; give --epsilon and --delta");
  check_certificate_file(options.certificate, options.plan);
}

int run(const SolveOptions& options, Page& page) {
  const Limit limit = limit_of(options);
  check_certificate(options);
  const Plan plan = options.plan.plan();
  const solve::Solution found = solution_of(options, plan);
  page.assume(plan);
  page.answer("plan", to_text(plan.event));
  page.answer("budget", limit.text);
  page.answer("?", found.value ? fmt::format("{}", *found.value) : "none: " + found.explanation);
  if (found.value) {
    const Plan solved{substitute(plan.event, *found.value), plan.adjacency};
    if (!options.certificate.empty())
      write_certificate(options.certificate, certificate(solved, *options.delta, found.at_value));
    page.answer("solved", to_text(solved.event));
    page.answer("spends", limit.spent + " " + bracket_text(found.at_value), found.at_value);
    page.figure("delta against epsilon, solved",
                [&] { return profile_of(*options.accountant.of(solved), 1, options.epsilon.value_or(1)); });
  }
  if (options.json) {
    nlohmann::json json = limit.json;
    json.update({{"plan", dpbudget::to_json(plan)},
                 {"value", found.value ? nlohmann::json(*found.value) : nlohmann::json()},
                 {"every_value", found.every_value},
                 {"explanation", found.explanation}});
    if (found.value) json["at_value"] = to_json(found.at_value);
    std::cout << json << "\n";
  } else {
    std::cout << plan_lines(plan) << field("budget", limit.text)
              << field("?", found.value ? fmt::format("{}", *found.value) : "none");
    if (found.value) {
      std::cout << field("spends", limit.spent + " " + bracket_text(found.at_value))
                << field("solved", to_text(Plan{substitute(plan.event, *found.value), plan.adjacency}))
                << reason_lines(found.at_value);
    } else {
      std::cout << field("because", found.explanation);
    }
  }
  // A count of 0 is the answer that not even one fits, as in `rounds`.
  const bool meets = found.every_value || (found.value && !(found.kind == UnknownKind::count && *found.value == 0));
  return meets ? inside_budget : over_budget;
}

}  // namespace

void add_solve(Program& program, int& status) {
  auto options = std::make_shared<SolveOptions>();
  const Command command = program.add("solve", "value of the `?` in a plan that just meets a budget");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n  dpbudget solve \"1000 x poisson(0.01, gaussian(?))\" --epsilon 1 --delta 1e-6\n"
      "  dpbudget solve \"400 x participates(20 of 100, 10 x wor(?, gaussian(30)))\" --epsilon 3 --delta 1e-5\n"
      "  dpbudget solve \"1000 x poisson(0.01, gaussian(?))\" --tpr 0.05 --fpr 0.01\n"
      "The smallest noise or scale, or the largest count, rate or epsilon, found from the safe side. Exit status 1 "
      "when no value meets the budget.");
  options->plan.add_to(command);
  number_option(command, "--epsilon", options->epsilon, "epsilon of the budget, at least 0");
  number_option(command, "--delta", options->delta, "delta of the budget, in [0, 1): 0 asks for pure DP");
  number_option(command, "--advantage", options->advantage,
                "instead: the largest difference of true- and false-positive rate that a test for membership may have, "
                "in (0, 1)");
  number_option(
      command, "--tpr", options->tpr,
      "instead: the largest true-positive rate that such a test may have, in (FPR, 1), where its false-positive "
      "rate is");
  number_option(command, "--fpr", options->fpr, "this one, in (0, 1)");
  options->accountant.add_to(command);
  certificate_option(command, options->certificate);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
