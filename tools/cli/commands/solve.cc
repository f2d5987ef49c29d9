#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/by_accountant.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

struct SolveOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double epsilon = 0;
  double delta = 0;
  bool json = false;
};

int run(const SolveOptions& options) {
  const Plan plan = options.plan.plan();
  const solve::Solution found =
      solve::unknown(plan, options.accountant.name, options.accountant.tolerance, options.epsilon, options.delta)
          .value();
  if (options.json) {
    nlohmann::json json{
        {"plan", dpbudget::to_json(plan)},  {"epsilon", options.epsilon},
        {"delta", options.delta},           {"value", found.value ? nlohmann::json(*found.value) : nlohmann::json()},
        {"every_value", found.every_value}, {"explanation", found.explanation}};
    if (found.value) json["at_value"] = to_json(found.at_value);
    std::cout << json << "\n";
  } else {
    std::cout << plan_lines(plan)
              << field("budget", fmt::format("epsilon {}, delta {}", options.epsilon, options.delta))
              << field("?", found.value ? fmt::format("{}", *found.value) : "none");
    if (found.value) {
      std::cout << field("spends", "epsilon " + bracket_text(found.at_value))
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
  command.footer(
      "Examples:\n  dpbudget solve \"1000 x poisson(0.01, gaussian(?))\" --epsilon 1 --delta 1e-6\n"
      "  dpbudget solve \"400 x participates(20 of 100, 10 x wor(?, gaussian(30)))\" --epsilon 3 --delta 1e-5\n"
      "The smallest noise or scale, or the largest count, rate or epsilon, found from the safe side. Exit status 1 "
      "when no value meets the budget.");
  options->plan.add_to(command);
  number_option(command, "--epsilon", options->epsilon, "epsilon of the budget, at least 0").required();
  number_option(command, "--delta", options->delta, "delta of the budget, in [0, 1): 0 asks for pure DP").required();
  options->accountant.add_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status] { status = run(*options); });
}

}  // namespace dpbudget::tools
