#include "dpbudget/fl/verify/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/verify/reading.h"
#include "dpbudget/tools/cli/check/claim_option.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/report_output.h"
#include "dpbudget/tools/cli/page/runs.h"
#include "dpbudget/tools/cli/ranks/launched.h"
#include "dpbudget/tools/cli/ranks/shared_run.h"
#include "dpbudget/tools/cli/simulation/matrix.h"
#include "dpbudget/tools/cli/simulation/replay.h"

namespace dpbudget::tools {
namespace {

struct VerifyOptions {
  std::string ledger;
  std::optional<double> epsilon;
  std::optional<fl::Adversary> adversary;
  std::optional<double> delta;
  DataOptions data;
  std::optional<double> claim;
  bool replay = false;
  bool matrix = false;
  bool json = false;
};

int run_matrix(const VerifyOptions& options, Page& page) {
  const bool is_on_terminal = isatty(STDERR_FILENO) != 0;
  const Matrix matrix = verify_matrix(options.delta.value_or(1e-5), [&](const std::string& name) {
    if (is_on_terminal) std::cerr << "\r\033[K" << name << std::flush;
  });
  if (is_on_terminal) std::cerr << "\r\033[K";
  page.answer("matrix",
              matrix.passed ? "every run verifies, and every mistake is found" : "FAIL: see what was printed");
  if (options.json)
    std::cout << matrix_json(matrix) << "\n";
  else
    std::cout << matrix_text(matrix);
  return matrix.passed ? inside_budget : over_budget;
}

// What was executed cost, against `adversary`; anything where that has no guarantee.
Bound executed_for(const fl::Report& report, fl::Adversary adversary) {
  for (const fl::View& view : report.views)
    if (view.adversary == adversary && view.executed) return view.executed->epsilon;
  return no_bound({"", "what was executed has no guarantee"});
}

// What a process does that mpirun started beside the first.
int serve(const VerifyOptions& options, fl::Ranks& ranks) {
  const auto seeded = [&](std::uint64_t seed) {
    return SeededRun{planned_again(fl::read_ledger(options.ledger)), options.data.clients(seed)};
  };
  follow(ranks, seeded, [&] { fl::check_for_first(options.ledger, ranks); });
  return inside_budget;
}

int run(const VerifyOptions& options, Page& page) {
  if (options.epsilon) ranges::epsilon(*options.epsilon);
  if (options.delta) ranges::delta(*options.delta);
  if (options.matrix == !options.ledger.empty()) throw InvalidArgument("verify takes either a ledger or --matrix");
  if (options.matrix && (options.epsilon || options.adversary || options.claim || options.replay))
    throw InvalidArgument(
        "--epsilon and --adversary, as --claim and --replay, are for a ledger, and must be left out beside --matrix");
  if (options.matrix) return is_follower() ? inside_budget : run_matrix(options, page);
  NamedFiles inputs = options.data.files();
  inputs.emplace_back("ledger", options.ledger);
  check_output_files({}, inputs);
  if (options.replay) require_file("--replay", options.ledger);
  fl::Ranks* const ranks = launched_ranks();
  if (is_follower()) return ranks == nullptr ? inside_budget : serve(options, *ranks);
  const Leading leading(ranks);
  fl::LedgerReader reader(options.ledger);
  const fl::SettledRun& recorded = reader.header().run;
  fl::Ranks* const sharing = fl::is_divided(reader) ? ranks : nullptr;
  have_looked_at(sharing);
  fl::Report report = fl::verify(reader, options.delta.value_or(recorded->delta), sharing);
  if (options.replay) {
    const fl::Ledger ledger = fl::read_ledger(options.ledger);
    const SharedRun shared(ranks, recorded->seed);
    report.checks.push_back(replayed(ledger, *options.data.clients(recorded->seed), ranks));
    report.passed = report.passed && report.checks.back().passed;
  }
  const Budget budget{options.epsilon, options.adversary.value_or(recorded->budget_for)};
  const Bound spent = executed_for(report, budget.adversary);
  describe(report, budget, page);
  if (options.claim) page.answer("claim", claim_text(*options.claim, spent));
  if (options.json) {
    nlohmann::json json = report_json(report, budget);
    if (options.claim) json["claim"] = verdict_json(*options.claim, spent);
    std::cout << json << "\n";
  } else {
    std::cout << report_text(report, budget) << verdict_line(options.claim, spent);
  }
  return is_inside(report, budget) && !is_unsafe(options.claim, spent) ? inside_budget : over_budget;
}

}  // namespace

void add_verify(Program& program, int& status) {
  auto options = std::make_shared<VerifyOptions>();
  const Command command = program.add("verify", "budget of a run recomputed from its ledger alone");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n  dpbudget verify run.ledger.jsonl --epsilon 3 --delta 2.5e-6\n"
      "  dpbudget verify run.ledger.jsonl --replay synthetic:1,1 --users 20 --records 500\n  dpbudget verify --matrix\n"
      "Exit status 1 when the executed noise, rates or clipping are not those planned, or when the budget that the "
      "run\n"
      "was given, or --epsilon, is exceeded. --replay takes the data of the run, described as for `dpbudget simulate\n"
      "--data` and with the same options, executes what the ledger plans again, and compares bit for bit. mpirun "
      "divides\n"
      "either.");
  command.option("ledger", options->ledger, "the ledger that `dpbudget simulate` wrote").type("FILE");
  number_option(command, "--epsilon", options->epsilon,
                "budget that the run may spend against --adversary, besides its own");
  number_option(command, "--delta", options->delta, "delta, in (0, 1); left out, the ledger's own");
  claim_option(command, options->claim, "epsilon");
  adversary_option(command, options->adversary,
                   "whom --epsilon and --claim are for; left out, whom the ledger's own is for");
  const std::vector<std::string> before = command.option_names();
  options->data.add_to(command, "--replay");
  const Option replay = command.find("--replay").value();
  for (const std::string& name : command.option_names())
    if (name != "replay" && std::ranges::find(before, name) == before.end())
      command.find("--" + name)->needs(replay).heading("Options of --replay");
  command.flag("--matrix", options->matrix,
               "run every algorithm, schedule and mistake small, and verify all of them: a table, in about 35 s");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, replay, &status, &page = program.page()] {
    options->replay = replay.is_given();
    status = run(*options, page);
  });
}

}  // namespace dpbudget::tools
