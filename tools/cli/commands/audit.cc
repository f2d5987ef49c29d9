#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/audit/plan_audit.h"
#include "dpbudget/fl/audit/run_audit.h"
#include "dpbudget/fl/run/option.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
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

// What an audit of a plan reads; all else is about runs.
constexpr std::array of_plans = {"adjacency", "against", "runs", "canaries", "confidence",
                                 "delta",     "seed",    "json", "report"};
// And what an audit of a run does not.
constexpr std::array of_plans_alone = {"adjacency", "against"};

struct AuditOptions {
  PlanArgument plan;
  PlanArgument against;  // what is claimed to be released in the place of the plan
  fl::RunAudit run;
  std::uint64_t threads = 0;
  fl::AuditRequest request;
  bool has_run = false;
  bool has_against = false;
  bool json = false;
};

// What is audited: a plan, or a run where there is none.
struct Audited {
  std::optional<Plan> plan;
  std::optional<Plan> against;
};

// What was found, beside what is proven, where something is.
struct AuditAnswer {
  fl::Attacked attacked;
  std::optional<Bound> proven;
  std::optional<Bound> published;

  bool is_exceeded() const { return proven && attacked.epsilon > proven->upper; }
};

Audited audited(const AuditOptions& options) {
  const bool has_plan = !options.plan.text.empty();
  if (has_plan == options.has_run) throw InvalidArgument("audit takes either a plan, or --algorithm with its run");
  Audited found;
  if (!has_plan) return found;
  found.plan = options.plan.known_plan();
  if (!options.has_against) return found;
  found.against = options.against.known_plan();
  if (found.against->adjacency != found.plan->adjacency)
    throw InvalidArgument(fmt::format("--against is a plan under {}, but must be one under {}, as the plan is",
                                      to_string(found.against->adjacency), to_string(found.plan->adjacency)));
  return found;
}

AuditAnswer answer_of(const AuditOptions& options, const Audited& what) {
  if (!what.plan) {
    const fl::AuditedRun found = fl::audit(options.run, options.request);
    return {found.attacked, found.proven, found.published};
  }
  fl::check(options.request);
  const Plan& claimed = what.against ? *what.against : *what.plan;
  // Asked first: what no accountant covers is then refused before the work.
  const Bound proven =
      make_accountant(AccountantName::best, claimed).value()->epsilon(1, options.request.delta).value();
  return {fl::audit(*what.plan, options.request), proven, std::nullopt};
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
  nlohmann::json json{{"epsilon", attacked.epsilon},
                      {"guarantee", to_string(Guarantee::estimate)},
                      {"estimator", to_string(attacked.strategy.estimator)}};
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

nlohmann::json answer_json(const AuditOptions& options, const Audited& what, const AuditAnswer& answer) {
  const fl::AuditRequest& request = options.request;
  nlohmann::json json{{"runs", request.runs},
                      {"canaries", request.canaries},
                      {"delta", request.delta},
                      {"confidence", request.confidence},
                      {"seed", request.seed},
                      {"attack", attacked_json(answer.attacked)},
                      {"exceeded", answer.is_exceeded()}};
  if (what.plan)
    json["plan"] = dpbudget::to_json(*what.plan);
  else
    json["run"] = {{"algorithm", options.run.run.algorithm},
                   {"adversary", to_string(options.run.adversary)},
                   {"fault", to_string(options.run.fault)}};
  if (what.against) json["against"] = dpbudget::to_json(*what.against);
  if (answer.proven) json["proven"] = to_json(*answer.proven);
  if (answer.published) json["published"] = to_json(*answer.published);
  return json;
}

// The lines of the answer, which stand on the page as well.
void print(const AuditOptions& options, const Audited& what, const AuditAnswer& answer, Page& page) {
  const fl::AuditRequest& request = options.request;
  const auto line = [&](const std::string& name, const std::string& text, const std::optional<Bound>& reason = {}) {
    if (reason)
      page.answer(name, text, *reason);
    else
      page.answer(name, text);
    if (!options.json) std::cout << field(name, text);
  };
  if (what.plan)
    line("plan", to_text(what.plan->event));
  else
    line("run", fmt::format("{}, against {}", options.run.run.algorithm, to_string(options.run.adversary)));
  if (what.against) line("against", to_text(what.against->event));
  line("attacked", fmt::format("{} runs of {} canaries, at delta {}", request.runs, request.canaries, request.delta));
  line("epsilon",
       fmt::format("at least {}, with confidence {} (a statistical estimate)", rounded_down(answer.attacked.epsilon),
                   request.confidence),
       bound_of(answer.attacked));
  line("counts", counts_text(answer.attacked));
  if (!options.json) std::cout << field("by", is_test(answer.attacked) ? of_tests : of_guesses);
  line("proven", answer.proven ? bracket_text(*answer.proven) : "nothing: no theorem covers it", answer.proven);
  if (answer.published) line("published", bracket_text(*answer.published), answer.published);
  if (answer.is_exceeded())
    line("EXCEEDED", fmt::format("with confidence {}, more is released than is proven{}", request.confidence,
                                 what.against ? " of what is claimed" : ": what ran is not what was planned"));
}

int run(const AuditOptions& options, Page& page) {
  const Audited what = audited(options);
  const AuditAnswer answer = answer_of(options, what);
  if (what.plan) page.assume(*what.plan);
  page.assume("attacker", "chooses its test on runs of its own, and is then counted on others");
  print(options, what, answer, page);
  if (options.json) std::cout << answer_json(options, what, answer) << "\n";
  return answer.is_exceeded() ? over_budget : inside_budget;
}

template <class Value>
Option choice_option(const Command& command, const std::string& flag, Value& value, const std::string& description) {
  const std::string shown(to_string(value));
  return command
      .option(
          flag,
          [&value, flag](const std::string& text) {
            value = *choice_named<Value>(read_choice(flag, text, fl::option_choices<Value>()));
          },
          description)
      .type("NAME")
      .shown_default(shown);
}

// An option that says nothing is refused.
void check_options(const Command& command, bool has_run) {
  for (const std::string& name : command.option_names()) {
    if (!command.find("--" + name)->is_given()) continue;
    if (has_run ? std::ranges::find(of_plans_alone, name) != of_plans_alone.end()
                : std::ranges::find(of_plans, name) == of_plans.end())
      throw InvalidArgument(fmt::format("--{} is given, but must be left out for {}", name,
                                        has_run ? "a run: it is about plans" : "a plan: it is about runs"));
  }
}

}  // namespace

void add_audit(Program& program, int& status) {
  auto options = std::make_shared<AuditOptions>();
  options->threads = std::max(1U, std::thread::hardware_concurrency());
  const Command command =
      program.add("audit", "a lower confidence bound on epsilon, by attacking a mechanism or a run");
  if (!command.is_named()) return;
  command.footer(
      "A plan's releases are drawn, and attacked by their exact likelihood ratio. A federated run is simulated with "
      "canaries: clients whose record is one of two by a coin, and the attack guesses which from what --adversary "
      "sees. "
      "What the attack does is chosen on runs beforehand, a quarter as many. Where trials are independent, true- and "
      "false-positive rates bound epsilon; otherwise, and where it gives more, correct guesses do.\n"
      "Exit status 1 when the bound exceeds what is proven, as it may once in 1 / (1 - confidence) audits; 2 when "
      "something is refused, 3 when a run diverges.\n"
      "Examples:\n"
      "  dpbudget audit \"gaussian(1)\" --delta 1e-5 --runs 1000\n"
      "  dpbudget audit --algorithm dp-fedavg --rounds 1 --local-steps 1 --user-rate 1 --record-rate 1 --noise 1 \\\n"
      "      --clip 1 --delta 0.01 --runs 100 --canaries 100 --fault shared-noise");
  options->plan.add_to(command, false);
  command
      .option("--against", options->against.text,
              "the plan that is claimed to be released: the attack on PLAN is held against what is proven of this one")
      .type("PLAN");
  count_option(command, "--runs", options->request.runs, "independent runs that are attacked");
  count_option(command, "--canaries", options->request.canaries, "canaries in each run")
      .shown_default(
          fmt::format("up to {} of a plan, {} of a run", fl::most_usual_canaries, options->request.canaries));
  number_option(command, "--confidence", options->request.confidence, "of the bound, in (0, 1)");
  count_option(
      command, "--records", options->run.witnesses.records,
      "of each client of a run, an odd number: beyond the canary their gradients cancel until the model moves");
  count_option(command, "--users", options->run.witnesses.users,
               "clients of a run: at least twice the canaries; 0 for just as many");
  choice_option(command, "--canary", options->run.witnesses.canary,
                "opposite: the canary's two gradients are; small: one of them is small");
  choice_option(command, "--fault", options->run.fault,
                fmt::format("a mistake that the simulator is to commit, to see it found: {}",
                            fmt::join(fl::option_choices<fl::Fault>(), ", ")));
  run_options(command, options->run.run, Fields::not_evaluated);
  command.find("--adversary")
      ->append_to_description("; here who attacks: server (if it is left out), third-party or one-client")
      .shown_default("server");
  command.find("--algorithm")->append_to_description(": " + algorithm_names(true)).shown_default("");
  count_option(command, "--threads", options->threads,
               "threads of each run, by default one per core; they change no bit of the result");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, command, &status, &page = program.page()] {
    options->has_run = command.find("--algorithm")->is_given();
    options->has_against = command.find("--against")->is_given();
    require(!options->has_against || !options->against.text.empty(), "--against", "empty", "a plan");
    check_options(command, options->has_run);
    require(1 <= options->threads && options->threads <= 4096, "--threads", options->threads, "in [1, 4096]");
    if (options->has_run) check_record_rate(command, options->run.run);
    if (!options->has_run && !options->plan.text.empty() && !command.find("--canaries")->is_given())
      options->request.canaries = fl::usual_canaries(options->plan.known_plan(), options->request.runs);
    options->run.run.threads = static_cast<unsigned>(options->threads);
    options->request.seed = options->run.run.seed;
    options->request.delta = options->run.run.delta;
    options->against.adjacency = options->plan.adjacency;
    if (command.find("--adversary")->is_given()) options->run.adversary = options->run.run.budget_for;
    status = run(*options, page);
  });
}

}  // namespace dpbudget::tools
