#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

struct DeltaOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double epsilon = 0;
  bool json = false;
};

void run(const DeltaOptions& options) {
  const Plan plan = options.plan.known_plan();
  const DeltaBound found = options.accountant.of(plan)->delta(1, options.epsilon).value();
  if (options.json) {
    std::cout << nlohmann::json{{"plan", dpbudget::to_json(plan)},
                                {"epsilon", options.epsilon},
                                {"delta", to_json(found)}}
              << "\n";
    return;
  }
  std::cout << plan_lines(plan) << field("epsilon", fmt::format("{}", options.epsilon))
            << field("delta", bracket_text(found)) << reason_lines(found.bound);
}

}  // namespace

void add_delta(Program& program, int& /*status*/) {
  auto options = std::make_shared<DeltaOptions>();
  const Command command = program.add("delta", "delta that a plan spends at a given epsilon");
  command.footer("Example:\n  dpbudget delta \"600 x poisson(0.04, gaussian(2.83))\" --epsilon 2");
  options->plan.add_to(command);
  number_option(command, "--epsilon", options->epsilon, "epsilon, at least 0").required();
  options->accountant.add_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options] { run(*options); });
}

}  // namespace dpbudget::tools
