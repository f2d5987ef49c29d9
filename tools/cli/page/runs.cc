#include "dpbudget/tools/cli/page/runs.h"

#include <fmt/format.h>

#include <string_view>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/output/bound_output.h"

namespace dpbudget::tools {
namespace {

std::string_view meaning(fl::Adversary adversary) {
  switch (adversary) {
    case fl::Adversary::third_party:
      return "sees every global model that is published; one record of one client is protected";
    case fl::Adversary::server:
      return "sees every message and who was sampled; one record of one client is protected";
    case fl::Adversary::one_client:
      return "sees every global model and what it sent itself; one record of another client is protected";
    case fl::Adversary::other_clients:
      return "all clients but one, who pool what they see; one record of that one is protected";
    case fl::Adversary::user_level:
      return "sees what the server sees; everything that one client holds is protected, as if it were one record";
  }
  return "";
}

}  // namespace

void assume(fl::Adversary adversary, Page& page) { page.assume(to_string(adversary), meaning(adversary)); }

void describe(const fl::Report& report, const Budget& budget, Page& page) {
  if (!page.is_wanted()) return;
  page.answer("run", fmt::format("{}, {} of {} rounds executed{}", report.algorithm, report.rounds_executed,
                                 report.rounds_planned, report.is_finished ? "" : ", not finished"));
  page.answer("delta", fmt::format("{}", report.delta));
  for (const fl::View& view : report.views) {
    assume(view.adversary, page);
    if (!view.executed) continue;
    page.answer(fmt::format("epsilon, {}", to_string(view.adversary)), bracket_text(view.executed->epsilon));
    page.rest_on(view.executed->epsilon);
    page.assume(view.executed->plan);
    if (view.adversary == budget.adversary)
      page.answer(report.is_filtered ? "at most" : "executed", to_text(view.executed->plan));
  }
  page.answer("verdict", verdict_text(report, budget));
  page.assume(
      "trusted",
      "who wrote the ledger: it records what was executed, and its first line was settled before; `verify` finds where "
      "it contradicts itself, and --replay with the data where it contradicts what its first line makes of them");
  page.assume(
      "not private",
      "losses, scores and other metrics, which are computed from records without noise; how the data were divided, "
      "standardised and tested; how many records a client holds");
  page.table("What each adversary learns", view_rows(report));
  page.table("Checks", check_rows(report));
  for (const std::string& note : notes_of(report)) page.note(note);
}

}  // namespace dpbudget::tools
