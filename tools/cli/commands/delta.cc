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

struct DeltaOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double epsilon = 0;
  std::optional<double> claim;
  std::string certificate;
  bool json = false;
};

int run(const DeltaOptions& options, Page& page) {
  check_certificate_file(options.certificate, options.plan);
  const Plan plan = options.plan.known_plan();
  const std::unique_ptr<Accountant> accountant = options.accountant.of(plan);
  const DeltaBound found = accountant->delta(1, options.epsilon).value();
  if (!options.certificate.empty()) write_certificate(options.certificate, certificate(plan, options.epsilon, found));
  page.assume(plan);
  page.answer("plan", to_text(plan.event));
  page.answer("epsilon", fmt::format("{}", options.epsilon));
  page.answer("delta", bracket_text(found), found.bound);
  if (options.claim) page.answer("claim", claim_text(*options.claim, found.bound));
  page.figure("delta against epsilon", [&] { return profile_of(*accountant, 1, options.epsilon); });
  if (options.json) {
    nlohmann::json json = {{"plan", dpbudget::to_json(plan)}, {"epsilon", options.epsilon}, {"delta", to_json(found)}};
    if (options.claim) json["claim"] = verdict_json(*options.claim, found.bound);
    std::cout << json << "\n";
    return is_unsafe(options.claim, found.bound) ? over_budget : inside_budget;
  }
  std::cout << plan_lines(plan) << field("epsilon", fmt::format("{}", options.epsilon))
            << field("delta", bracket_text(found)) << verdict_line(options.claim, found.bound)
            << reason_lines(found.bound);
  return is_unsafe(options.claim, found.bound) ? over_budget : inside_budget;
}

}  // namespace

void add_delta(Program& program, int& status) {
  auto options = std::make_shared<DeltaOptions>();
  const Command command = program.add("delta", "delta that a plan spends at a given epsilon");
  if (!command.is_named()) return;
  command.footer("Example:\n  dpbudget delta \"600 x poisson(0.04, gaussian(2.83))\" --epsilon 2");
  options->plan.add_to(command);
  number_option(command, "--epsilon", options->epsilon, "epsilon, at least 0").required();
  options->accountant.add_to(command);
  claim_option(command, options->claim, "delta");
  certificate_option(command, options->certificate);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
