#include "dpbudget/tools/cli/output/report_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

const fl::View* view_of(const fl::Report& report, fl::Adversary adversary) {
  const auto found = std::ranges::find(report.views, adversary, &fl::View::adversary);
  return found == report.views.end() ? nullptr : &*found;
}

std::string budget_table(const fl::Report& report) {
  return fmt::format("epsilon at delta {}\n{}", report.delta, table(view_rows(report)));
}

// What a silo spent of what it may; nothing executed counts as nothing left.
double share_spent(const fl::SiloSpend& silo) {
  return silo.executed ? silo.executed->upper / silo.budget.epsilon : std::numeric_limits<double>::infinity();
}

std::string silo_table(const fl::Report& report) {
  constexpr std::size_t most_shown = 10;
  std::vector<const fl::SiloSpend*> silos;
  for (const fl::SiloSpend& silo : report.silos) silos.push_back(&silo);
  std::ranges::stable_sort(silos, std::ranges::greater(), [](const fl::SiloSpend* silo) { return share_spent(*silo); });
  const std::size_t shown = std::min(most_shown, silos.size());
  std::vector<Row> rows{
      {"silo", "records", "noise", "published noise", "delta", "epsilon allowed", "planned", "executed"}};
  for (std::size_t i = 0; i < shown; ++i) {
    const fl::SiloSpend& silo = *silos[i];
    rows.push_back(
        {std::to_string(silo.client), grouped(silo.sizes.records), rounded_up(silo.sizes.noise_multiplier.value()),
         silo.published_noise ? rounded_up(*silo.published_noise) : "none", fmt::format("{}", silo.budget.delta),
         fmt::format("{}", silo.budget.epsilon), rounded_up(silo.planned.upper),
         silo.executed ? rounded_up(silo.executed->upper) : std::string("no guarantee")});
  }
  return fmt::format(
      "each silo's own budget, proven{}\n{}",
      shown < silos.size() ? fmt::format("; of {} silos the {} that spent most of theirs", silos.size(), shown) : "",
      table(rows, {0, 1, 2, 3, 4, 5, 6, 7}));
}

std::string spent_text(const fl::Report& report, bool is_kept, double spent, double allowed, fl::Adversary adversary) {
  return fmt::format("{}: {}{} spent, {} allowed ({})", is_kept ? "PASS" : "FAIL", report.is_filtered ? "at most " : "",
                     rounded_up(spent), allowed, to_string(adversary));
}

std::string own_budget_text(const fl::Report& report, const fl::BudgetSpend& own) {
  if (!own.spent) return "FAIL: nothing proven was executed";
  return spent_text(report, own.is_kept(), *own.spent, own.epsilon, own.adversary) +
         (own.delta == report.delta ? "" : fmt::format(" at delta {}", own.delta));
}

}  // namespace

bool is_inside(const fl::Report& report, const Budget& budget) {
  if (!report.passed) return false;
  if (!budget.epsilon) return true;
  const fl::View* view = view_of(report, budget.adversary);
  return view != nullptr && view->executed && view->executed->epsilon.upper <= *budget.epsilon;
}

std::vector<Row> view_rows(const fl::Report& report) {
  std::vector<Row> rows{{"adversary", "protects", "published claim", "planned", "executed"}};
  const auto priced = [](const std::optional<fl::Priced>& plan) {
    return plan ? fmt::format("{} proven", rounded_up(plan->epsilon.upper)) : std::string("no guarantee");
  };
  for (const fl::View& view : report.views)
    rows.push_back({std::string(to_string(view.adversary)),
                    view.adversary == fl::Adversary::user_level ? "a client" : "a record", claimed_text(view.published),
                    priced(view.planned), priced(view.executed)});
  return rows;
}

std::vector<Row> check_rows(const fl::Report& report) {
  std::vector<Row> rows{{"check", "result", "found"}};
  for (const fl::Check& check : report.checks)
    rows.push_back({check.name, check.passed ? "pass" : "FAIL", check.reason});
  return rows;
}

std::vector<std::string> notes_of(const fl::Report& report) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  for (const std::string& note : report.notes) add(note);
  for (const fl::View& view : report.views)
    if (view.published && view.published->guarantee == Guarantee::estimate)
      for (const std::string& note : view.published->notes)
        add(fmt::format("published claim, {}: {}", to_string(view.adversary), note));
  return notes;
}

std::string verdict_text(const fl::Report& report, const Budget& budget) {
  const auto is_sound = [](const fl::Check& check) { return check.passed || check.name == fl::Check::budget; };
  if (!std::ranges::all_of(report.checks, is_sound)) return "FAIL: the ledger does not show the run that was planned";
  if (!report.is_private) return "no guarantee: see the note";
  if (report.budget && (!budget.epsilon || !report.budget->is_kept())) return own_budget_text(report, *report.budget);
  if (!budget.epsilon) return "PASS: what was executed is what was planned";
  const fl::View* view = view_of(report, budget.adversary);
  if (view == nullptr || !view->executed) return "FAIL: nothing proven was executed";
  return spent_text(report, is_inside(report, budget), view->executed->epsilon.upper, *budget.epsilon,
                    budget.adversary);
}

std::string report_text(const fl::Report& report, const Budget& budget) {
  std::string text;
  text += field("run", fmt::format("{}, {} of {} rounds executed{}", report.algorithm, report.rounds_executed,
                                   report.rounds_planned, report.is_finished ? "" : ", not finished"));
  if (const fl::View* view = view_of(report, budget.adversary); view != nullptr && view->executed)
    text += field(report.is_filtered ? "at most" : "executed", to_text(view->executed->plan));
  if (!report.views.empty()) text += "\n" + budget_table(report);
  if (!report.silos.empty()) text += "\n" + silo_table(report);
  if (report.worst_client && report.is_private) {
    const fl::ClientSpend& worst = report.clients[*report.worst_client];
    text += "\n" + field("worst client",
                         fmt::format("number {}, in {} rounds: its records spent epsilon {} (proven)", worst.client,
                                     worst.participations, rounded_up(worst.paid->epsilon.upper)));
  }
  text += "\n" + table(check_rows(report)) + "\n";
  for (const std::string& note : notes_of(report)) text += field("note", note);
  return text + field("verdict", verdict_text(report, budget));
}

nlohmann::json report_json(const fl::Report& report, const Budget& budget) {
  using nlohmann::json;
  const auto priced = [](const std::optional<fl::Priced>& plan) -> json {
    if (!plan) return nullptr;
    return {
        {"records", plan->sizes.records}, {"plan", dpbudget::to_json(plan->plan)}, {"epsilon", to_json(plan->epsilon)}};
  };
  json views = json::array();
  for (const fl::View& view : report.views)
    views.push_back({{"adversary", to_string(view.adversary)},
                     {"published", view.published ? to_json(*view.published) : json()},
                     {"planned", priced(view.planned)},
                     {"executed", priced(view.executed)}});
  json checks = json::array();
  for (const fl::Check& check : report.checks)
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"reason", check.reason}});
  json clients = json::array();
  for (const fl::ClientSpend& client : report.clients)
    clients.push_back({{"client", client.client},
                       {"records", client.records},
                       {"participations", client.participations},
                       {"epsilon", json_number(client.paid->epsilon.upper)}});
  json silos = json::array();
  for (const fl::SiloSpend& silo : report.silos)
    silos.push_back({{"silo", silo.client},
                     {"records", silo.sizes.records},
                     {"noise", silo.sizes.noise_multiplier.value()},
                     {"published_noise", silo.published_noise ? json(*silo.published_noise) : json()},
                     {"epsilon", silo.budget.epsilon},
                     {"delta", silo.budget.delta},
                     {"planned", to_json(silo.planned)},
                     {"executed", silo.executed ? to_json(*silo.executed) : json()}});
  return {{"algorithm", report.algorithm},
          {"delta", report.delta},
          {"finished", report.is_finished},
          {"rounds_planned", report.rounds_planned},
          {"rounds_executed", report.rounds_executed},
          {"views", views},
          {"checks", checks},
          {"clients", clients},
          {"silos", silos},
          {"worst_client", report.worst_client ? json(*report.worst_client) : json()},
          {"notes", report.notes},
          {"verdict", verdict_text(report, budget)},
          {"passed", is_inside(report, budget)}};
}

}  // namespace dpbudget::tools
