#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/check/certificate.h"
#include "dpbudget/tools/cli/check/claim_option.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/figures.h"

namespace dpbudget::tools {
namespace {

struct EpsilonOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double delta = 0;
  std::optional<double> claim;
  std::string certificate;
  bool json = false;
};

int run(const EpsilonOptions& options, Page& page) {
  check_certificate_file(options.certificate, options.plan);
  const Plan plan = options.plan.known_plan();
  const std::unique_ptr<Accountant> accountant = options.accountant.of(plan);
  const Bound bound = accountant->epsilon(1, options.delta).value();
  if (!options.certificate.empty()) write_certificate(options.certificate, certificate(plan, options.delta, bound));
  page.assume(plan);
  page.answer("plan", to_text(plan.event));
  page.answer("delta", fmt::format("{}", options.delta));
  page.answer("epsilon", bracket_text(bound), bound);
  if (options.claim) page.answer("claim", claim_text(*options.claim, bound));
  page.figure("delta against epsilon", [&] { return profile_of(*accountant, 1, bound.upper); });
  if (options.json) {
    nlohmann::json json = {{"plan", dpbudget::to_json(plan)}, {"delta", options.delta}, {"epsilon", to_json(bound)}};
    if (options.claim) json["claim"] = verdict_json(*options.claim, bound);
    std::cout << json << "\n";
    return is_unsafe(options.claim, bound) ? over_budget : inside_budget;
  }
  std::cout << plan_lines(plan) << field("delta", fmt::format("{}", options.delta))
            << field("epsilon", bracket_text(bound)) << verdict_line(options.claim, bound) << reason_lines(bound);
  return is_unsafe(options.claim, bound) ? over_budget : inside_budget;
}

}  // namespace

void add_epsilon(Program& program, int& status) {
  auto options = std::make_shared<EpsilonOptions>();
  const Command command = program.add("epsilon", "epsilon that a plan spends at a given delta");
  if (!command.is_named()) return;
  command.footer(
      "Example:\n  dpbudget epsilon \"10000 x poisson(0.01, gaussian(1))\" --delta 1e-5\n"
      "Noise is its standard deviation divided by the sensitivity under the adjacency: for contributions clipped to C\n"
      "that is C under add_or_remove_one and zero_out_one, and 2 C under replace_one.");
  options->plan.add_to(command);
  number_option(command, "--delta", options->delta, "delta, in [0, 1): 0 asks for pure DP").required();
  options->accountant.add_to(command);
  claim_option(command, options->claim, "epsilon");
  certificate_option(command, options->certificate);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
