#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/audit/plan_audit.h"
#include "dpbudget/fl/audit/run_audit.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

constexpr const char* of_tests = "Clopper, Pearson 1934, of independent trials: fl/audit/proofs.md, 1.1";
constexpr const char* of_guesses =
    "Steinke, Nasr, Jagielski 2023 (arXiv:2305.08846), Theorem 5.2; fl/audit/proofs.md, 1.3";

struct AuditOptions {
  PlanArgument plan;
  fl::RunAudit run;
  fl::AuditRequest request;
  bool has_run = false;
  bool json = false;
};

// What was found, beside what is proven, where something is.
struct Answer {
  fl::Attacked attacked;
  std::optional<Bound> proven;
  std::optional<Bound> published;

  bool is_exceeded() const { return proven && attacked.epsilon > proven->upper; }
};

Answer answer_of(const AuditOptions& options, const std::optional<Plan>& plan) {
  if (!plan) {
    const fl::AuditedRun found = fl::audit(options.run, options.request);
    return {found.attacked, found.proven, found.published};
  }
  Answer answer{fl::audit(*plan, options.request), std::nullopt, std::nullopt};
  if (options.request.delta > 0)
    answer.proven = make_accountant(AccountantName::best, *plan).value()->epsilon(1, options.request.delta).value();
  return answer;
}

bool is_test(const fl::Attacked& attacked) { return attacked.strategy.estimator == fl::Estimator::test; }

std::string counts_text(const fl::Attacked& attacked) {
  if (is_test(attacked))
    return fmt::format("{} of {} that were in, and {} of {} that were out, are said to be in",
                       attacked.test.in_called_in, attacked.test.in, attacked.test.out_called_in, attacked.test.out);
  return fmt::format("{} of {} guesses about {} canaries are correct", attacked.guesses.correct,
                     attacked.guesses.guesses, attacked.guesses.canaries);
}

Bound bound_of(const fl::Attacked& attacked) {
  return {attacked.epsilon, attacked.epsilon, Guarantee::estimate, {is_test(attacked) ? of_tests : of_guesses}, {}};
}

nlohmann::json attacked_json(const fl::Attacked& attacked) {
  nlohmann::json json{{"epsilon", attacked.epsilon}, {"estimator", to_string(attacked.strategy.estimator)}};
  if (is_test(attacked))
    json["counts"] = {{"in", attacked.test.in},
                      {"in_called_in", attacked.test.in_called_in},
                      {"out", attacked.test.out},
                      {"out_called_in", attacked.test.out_called_in}};
  else
    json["counts"] = {{"canaries", attacked.guesses.canaries},
                      {"guesses", attacked.guesses.guesses},
                      {"correct", attacked.guesses.correct}};
  json["theorem"] = is_test(attacked) ? of_tests : of_guesses;
  return json;
}

int run(const AuditOptions& options, Page& page) {
  const bool has_plan = !options.plan.text.empty();
  if (has_plan == options.has_run) throw InvalidArgument("audit takes either a plan or --algorithm with a run");
  const std::optional<Plan> plan = has_plan ? std::optional(options.plan.known_plan()) : std::nullopt;
  const Answer answer = answer_of(options, plan);
  const std::string at_least =
      fmt::format("{}, with confidence {}", rounded_down(answer.attacked.epsilon), options.request.confidence);
  const std::string what =
      plan ? to_text(plan->event)
           : fmt::format("{}, against {}", options.run.run.algorithm, to_string(options.run.adversary));
  if (plan) page.assume(*plan);
  page.assume("attacker", "chooses its test on runs of its own, and is then counted on others");
  page.answer(plan ? "plan" : "run", what);
  page.answer("epsilon at least", at_least, bound_of(answer.attacked));
  if (answer.proven) page.answer("proven", bracket_text(*answer.proven), *answer.proven);
  if (answer.published) page.answer("published", bracket_text(*answer.published), *answer.published);
  if (options.json) {
    nlohmann::json json{{"runs", options.request.runs},    {"canaries", options.request.canaries},
                        {"delta", options.request.delta},  {"confidence", options.request.confidence},
                        {"seed", options.request.seed},    {"attack", attacked_json(answer.attacked)},
                        {"exceeded", answer.is_exceeded()}};
    if (plan) json["plan"] = dpbudget::to_json(*plan);
    if (!plan)
      json["run"] = {{"algorithm", options.run.run.algorithm},
                     {"adversary", to_string(options.run.adversary)},
                     {"fault", to_string(options.run.fault)}};
    if (answer.proven) json["proven"] = to_json(*answer.proven);
    if (answer.published) json["published"] = to_json(*answer.published);
    std::cout << json << "\n";
    return answer.is_exceeded() ? over_budget : inside_budget;
  }
  std::cout << field(plan ? "plan" : "run", what)
            << field("attacked", fmt::format("{} runs of {} canaries, at delta {}", options.request.runs,
                                             options.request.canaries, options.request.delta))
            << field("epsilon", "at least " + at_least) << field("", counts_text(answer.attacked))
            << field("", is_test(answer.attacked) ? of_tests : of_guesses);
  if (answer.proven) std::cout << field("proven", bracket_text(*answer.proven));
  if (answer.published) std::cout << field("published", bracket_text(*answer.published));
  if (answer.is_exceeded())
    std::cout << field("EXCEEDED", "more is released than is proven: what ran is not what was planned");
  return answer.is_exceeded() ? over_budget : inside_budget;
}

template <class Value>
Value named(const std::string& flag, std::string text) {
  std::ranges::replace(text, '-', '_');
  const auto found = choice_named<Value>(text);
  if (!found) throw InvalidArgument(fmt::format("{} is {}, which names none: see --help", flag, text));
  return *found;
}

}  // namespace

void add_audit(Program& program, int& status) {
  auto options = std::make_shared<AuditOptions>();
  const Command command =
      program.add("audit", "a lower confidence bound on epsilon, by attacking a mechanism or a run");
  command.footer(
      "A plan's releases are drawn, and attacked by their exact likelihood ratio. A federated run is simulated with "
      "canaries: clients whose record is one of two by a coin, and the attack guesses which from what --adversary "
      "sees. "
      "What the attack does is chosen on runs beforehand, a quarter as many. Where trials are independent, true- and "
      "false-positive rates bound epsilon; otherwise, and where it gives more, correct guesses do.\n"
      "Exit status 1 when the bound exceeds what is proven, as it may once in 1 / (1 - confidence) audits.\n"
      "Examples:\n"
      "  dpbudget audit \"gaussian(1)\" --delta 1e-5 --runs 1000 --canaries 1000\n"
      "  dpbudget audit --algorithm dp-fedavg --rounds 1 --local-steps 1 --user-rate 1 --record-rate 1 --noise 1 \\\n"
      "      --clip 1 --delta 0.01 --runs 100 --canaries 100 --fault shared-noise");
  command.option("PLAN", options->plan.text, "plan in the plan language or JSON, or @FILE with either");
  command
      .option(
          "--adjacency",
          [options](const std::string& text) { options->plan.adjacency = named<Adjacency>("--adjacency", text); },
          "of the plan, where its text names none")
      .type("NAME");
  count_option(command, "--runs", options->request.runs, "independent runs that are attacked");
  count_option(command, "--canaries", options->request.canaries, "canaries in each run");
  number_option(command, "--confidence", options->request.confidence, "of the bound, in (0, 1)");
  count_option(
      command, "--records", options->run.witnesses.records,
      "of each client of a run, an odd number: beyond the canary their gradients cancel until the model moves");
  count_option(command, "--users", options->run.witnesses.users,
               "clients of a run: at least twice the canaries; 0 for just as many");
  command
      .option(
          "--canary",
          [options](const std::string& text) { options->run.witnesses.canary = named<fl::Canary>("--canary", text); },
          "opposite: the canary's two gradients are; small: one of them is small")
      .type("NAME")
      .shown_default("opposite");
  command
      .option(
          "--fault", [options](const std::string& text) { options->run.fault = named<fl::Fault>("--fault", text); },
          "a mistake that the simulator is to commit, to see it found: weak-noise, shared-noise, unclipped, ...")
      .type("NAME")
      .shown_default("none");
  run_options(command, options->run.run);
  command.find("--adversary")
      ->append_to_description("; here who attacks: server (if it is left out), third-party or one-client")
      .shown_default("server");
  command.find("--algorithm")->shown_default("");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, command, &status, &page = program.page()] {
    options->request.seed = options->run.run.seed;
    options->request.delta = options->run.run.delta;
    options->has_run = command.find("--algorithm")->is_given();
    if (command.find("--adversary")->is_given()) options->run.adversary = options->run.run.budget_for;
    status = run(*options, page);
  });
}

}  // namespace dpbudget::tools
