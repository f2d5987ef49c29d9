#include "dpbudget/accounting/solve/rounds.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/check/certificate.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/figures.h"

namespace dpbudget::tools {
namespace {

struct RoundsOptions {
  PlanArgument plan;
  AccountantChoice accountant;
  double epsilon = 0;
  double delta = 0;
  std::string certificate;
  bool json = false;
};

// Between those that are proven to fit and those that are proven not to there may be some of which nothing is known.
std::string answer(const solve::Rounds& found, double epsilon) {
  if (found.unbounded) return fmt::format("at least {}: a round spends next to nothing", grouped(found.rounds));
  const Bound& next = found.at_next;
  if (found.rounds == 0) return fmt::format("0: one round alone spends epsilon {}", bracket_text(next));
  const std::string there = fmt::format("epsilon {} there", rounded_up(found.at_rounds.upper));
  if (found.at_rounds.guarantee != Guarantee::proven)
    return fmt::format("{} (estimate: {}, {} with one more)", grouped(found.rounds), there, rounded_up(next.upper));
  if (next.lower > epsilon)
    return fmt::format("{} (proven: {}, at least {} with one more)", grouped(found.rounds), there,
                       rounded_down(next.lower));
  const std::string beyond =
      found.none_from ? fmt::format("{} and more do not fit", grouped(*found.none_from)) : "more may fit";
  const std::string_view of_delta = next.upper <= epsilon ? "delta was found to be inside up to there; " : "";
  return fmt::format("{} proven to fit ({}, {} with one more; {}{})", grouped(found.rounds), there, bracket_text(next),
                     of_delta, beyond);
}

// That so many rounds fit; where not one does, what one spends.
nlohmann::json certificate_of(const Plan& plan, double delta, const solve::Rounds& found) {
  if (found.rounds == 0) return certificate(plan, delta, found.at_next);
  return certificate({repeat(found.rounds, plan.event), plan.adjacency}, delta, found.at_rounds);
}

int run(const RoundsOptions& options, Page& page) {
  check_certificate_file(options.certificate, options.plan);
  const Plan plan = options.plan.known_plan();
  const solve::Rounds found =
      solve::rounds(plan, options.accountant.name, options.accountant.tolerance, options.epsilon, options.delta)
          .value();
  const Bound& reason = found.rounds == 0 ? found.at_next : found.at_rounds;
  if (!options.certificate.empty()) write_certificate(options.certificate, certificate_of(plan, options.delta, found));
  page.assume(plan);
  page.answer("a round", to_text(plan.event));
  page.answer("budget", fmt::format("epsilon {}, delta {}", options.epsilon, options.delta));
  page.answer("largest T", answer(found, options.epsilon), reason);
  page.figure("epsilon against rounds",
              [&] { return growth_of(*options.accountant.of(plan), found.rounds, options.delta); });
  if (options.json) {
    nlohmann::json json{{"plan", dpbudget::to_json(plan)}, {"epsilon", options.epsilon},
                        {"delta", options.delta},          {"rounds", found.rounds},
                        {"unbounded", found.unbounded},    {"at_rounds", to_json(found.at_rounds)}};
    if (!found.unbounded) json["at_next"] = to_json(found.at_next);
    if (found.none_from) json["none_from"] = *found.none_from;
    std::cout << json << "\n";
  } else {
    std::cout << plan_lines(plan)
              << field("budget", fmt::format("epsilon {}, delta {}", options.epsilon, options.delta))
              << field("largest T", answer(found, options.epsilon)) << reason_lines(reason);
  }
  return found.rounds == 0 ? over_budget : inside_budget;
}

}  // namespace

void add_rounds(Program& program, int& status) {
  auto options = std::make_shared<RoundsOptions>();
  const Command command = program.add("rounds", "largest T with T x PLAN proven to be inside a budget");
  if (!command.is_named()) return;
  command.footer(
      "Example:\n  dpbudget rounds \"poisson(0.02, gaussian(1.5))\" --epsilon 3 --delta 1e-6\n"
      "Exit status 1 when not even a single round is proven to fit.");
  options->plan.add_to(command);
  number_option(command, "--epsilon", options->epsilon, "epsilon of the budget, at least 0").required();
  number_option(command, "--delta", options->delta, "delta of the budget, in [0, 1): 0 asks for pure DP").required();
  options->accountant.add_to(command);
  certificate_option(command, options->certificate);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
