#include "dpbudget/fl/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"
#include "dpbudget/fl/verify/reading.h"
#include "dpbudget/fl/verify/views.h"

namespace dpbudget::fl {
namespace {

// Rounding of the noise multiplier on its way through the ledger can move the mesh that an accountant chooses, and an
// upper end by as much as its bracket is wide. Equal plans have equal ends.
constexpr double epsilon_tolerance = default_tolerance;

std::vector<ClientSpend> spends(Execution& execution, Pricing& price) {
  const LedgerHeader& header = execution.record().header();
  std::vector<std::uint64_t> participations(header.clients.size());
  for (const DeedLine& line : execution.record().lines())
    if (line.client < participations.size()) ++participations[line.client];
  const auto unproven = std::make_shared<Paid>();
  unproven->epsilon.upper = std::numeric_limits<double>::infinity();
  std::map<std::string, std::shared_ptr<Paid>> alike;  // by plan
  const auto paid_by = [&](std::uint64_t client) {
    auto plan = execution.realised(client);
    if (!plan) return unproven;
    const auto [known, is_new] = alike.try_emplace(to_text(*plan));
    if (is_new) known->second = std::make_shared<Paid>(std::move(plan), Bound{});
    return known->second;
  };
  std::vector<ClientSpend> spends;
  spends.reserve(participations.size());
  std::shared_ptr<const Paid> by_idle;
  for (std::uint64_t client = 0; client < participations.size(); ++client) {
    std::shared_ptr<const Paid> paid = participations[client] == 0 ? by_idle : nullptr;
    if (!paid) paid = paid_by(client);
    if (participations[client] == 0) by_idle = paid;
    spends.push_back({client, header.clients[client], participations[client], std::move(paid)});
  }
  std::vector<const Plan*> plans;
  for (const auto& [text, paid] : alike) plans.push_back(&*paid->plan);
  price.prepare(plans);
  for (const auto& [text, paid] : alike) paid->epsilon = price(*paid->plan);
  return spends;
}

std::vector<SiloSpend> silo_spends(Execution& execution, Pricing& price) {
  const LedgerHeader& header = execution.record().header();
  const SettledRun& run = header.run;
  std::vector<SiloSpend> silos;
  if (run->silo_epsilon.empty()) return silos;
  const Population population(run, header.clients);
  for (std::uint64_t client = 0; client < header.clients.size(); ++client) {
    const Sizes sizes = population[client];
    const SiloBudget budget = silo_budget_of(run, client);
    const auto proven = plan(run, sizes, run->budget_for, Basis::proven);
    const auto executed = execution.plan(sizes, run->budget_for);
    SiloSpend silo{
        client,
        sizes,
        budget,
        catalogued(run->algorithm).claims.published_noise(run, sizes, run->budget_for, budget.epsilon, budget.delta),
        price.at(proven.value().plan, budget.delta),
        std::nullopt};
    if (executed)
      silo.executed = price.at(*executed, budget.delta);
    else if (execution.record().rounds().empty())
      silo.executed = Bound{};
    silos.push_back(std::move(silo));
  }
  return silos;
}

Check check_silo_budgets(const std::vector<SiloSpend>& silos) {
  constexpr const char* name = "silo_budgets";
  for (const SiloSpend& silo : silos) {
    const auto exceeded = [&](std::string_view what, double epsilon) {
      return Check{name, false,
                   fmt::format("silo {}: epsilon {} at delta {} is {}, {} allowed", silo.client, epsilon,
                               silo.budget.delta, what, silo.budget.epsilon)};
    };
    if (!(silo.planned.upper <= silo.budget.epsilon)) return exceeded("planned", silo.planned.upper);
    if (!silo.executed) return {name, false, fmt::format("silo {}: what is recorded has no guarantee", silo.client)};
    if (!(silo.executed->upper <= silo.budget.epsilon * (1 + epsilon_tolerance)))
      return exceeded("executed", silo.executed->upper);
  }
  return {name, true, fmt::format("each of {} silos inside its own budget", silos.size())};
}

// The run's own budget, at its own delta; nothing where it has none.
// @param views  of `execution`
std::optional<BudgetSpend> budget_spend(Execution& execution, const std::vector<View>& views,
                                        const std::vector<Sizes>& everybody, Pricing& price) {
  const SettledRun& run = execution.record().header().run;
  if (!run->epsilon) return std::nullopt;
  BudgetSpend budget{run->budget_for, *run->epsilon, run->delta, std::nullopt};
  if (execution.record().rounds().empty()) {
    budget.spent = 0;
    return budget;
  }
  const auto executed = run->delta == price.delta()
                            ? std::ranges::find(views, run->budget_for, &View::adversary)->executed
                            : worst_executed(execution, run->budget_for, everybody, run->delta, price);
  if (executed) budget.spent = executed->epsilon.upper;
  return budget;
}

Check check_budget(const BudgetSpend& budget, bool is_filtered) {
  const std::string_view name = to_string(budget.adversary);
  if (!budget.spent) return {Check::budget, false, fmt::format("{}: what is recorded has no guarantee", name)};
  return {Check::budget, budget.is_kept(),
          fmt::format("{}: epsilon {} at delta {} {}, {} allowed", name, *budget.spent, budget.delta,
                      is_filtered ? "is the most that the filter lets through" : "was executed", budget.epsilon)};
}

// Whether to work out what the header plans. Where that is not what was executed nothing hangs on it, and a line that
// somebody has changed can plan what takes minutes.
bool is_worth_pricing(const SettledRun& run, const std::vector<Check>& checks) {
  constexpr std::uint64_t few = 100;
  const auto fails = [](const Check& check) {
    return !check.passed && (check.name == "header" || check.name == "noise");
  };
  return planned_noises(run) <= few || std::ranges::none_of(checks, fails);
}

// The whole point: what was executed costs no more than what was planned.
Check check_epsilon(const std::vector<View>& views) {
  for (const View& view : views) {
    const std::string_view name = to_string(view.adversary);
    if (!view.planned && !view.executed) continue;  // no theorem covers this adversary
    if (!view.planned) return {"epsilon", false, fmt::format("{}: there is no proven plan", name)};
    if (!view.executed) return {"epsilon", false, fmt::format("{}: what is recorded has no guarantee", name)};
    if (!(view.executed->epsilon.upper <= view.planned->epsilon.upper * (1 + epsilon_tolerance)))
      return {"epsilon", false,
              fmt::format("{}: {} was executed, {} planned", name, view.executed->epsilon.upper,
                          view.planned->epsilon.upper)};
  }
  return {"epsilon", true, "what was executed costs no more than what was planned, for every adversary"};
}

std::vector<std::string> notes_on(const Record& record, bool is_torn, const std::vector<Sizes>& everybody) {
  std::vector<std::string> notes;
  const SettledRun& run = record.header().run;
  if (run.filter() != nullptr) {
    notes.push_back(run.filter()->guarantee().theorems.front());
    notes.emplace_back(
        "the noise was chosen by validation errors of released models, which are public only if the test records are");
    const double share = RunFilter(run, everybody).share(run, record.rounds().size());
    if (std::isfinite(share))
      notes.emplace_back(
          fmt::format("the bound is of all that the filter may let through; the planned noise of these "
                      "rounds takes {:.1f} % of that",
                      100 * share));
    notes.emplace_back("nothing is proven of the rounds of single clients, which no filter was asked about");
  }
  if (is_torn) notes.emplace_back("the last line was cut off while it was written; it is left out");
  if (!record.end())
    notes.emplace_back(fmt::format("the run did not finish: the numbers are for the {} rounds that are recorded",
                                   record.rounds().size()));
  if (record.is_cut_off())
    notes.emplace_back(fmt::format("round {} was cut off while it was written: it counts, as far as it is recorded",
                                   record.rounds().back().round));
  return notes;
}

Report report_on(Record read, const ParticipationFindings& found, bool is_torn, double delta) {
  const LedgerHeader& header = read.header();
  const SettledRun& run = header.run;
  const std::vector<Sizes> everybody = distinct_sizes(run, header.clients, header.dimension);
  for (const Sizes& sizes : everybody) check(run, sizes);

  Report report;
  report.algorithm = run->algorithm;
  report.delta = delta;
  report.is_private = run.algorithm().adds_noise() && !std::holds_alternative<MedianClipping>(run->clipping);
  report.is_filtered = run.filter() != nullptr;
  report.is_finished = read.end().has_value();
  report.rounds_planned = run.released_rounds();
  report.rounds_executed = read.rounds().size();
  report.checks = check_ledger(read, found);
  report.notes = notes_on(read, is_torn, everybody);
  Pricing price(delta);
  Execution execution(std::move(read));
  const Record& record = execution.record();
  report.clients = spends(execution, price);
  const auto worst =
      std::ranges::max_element(report.clients, {}, [](const ClientSpend& s) { return s.paid->epsilon.upper; });
  if (worst != report.clients.end() && worst->participations > 0 && !run.validation())
    report.worst_client = worst->client;
  if (report.is_private) {
    const bool with_planned = is_worth_pricing(run, report.checks);
    if (!with_planned)
      report.notes.push_back(
          fmt::format("the {} noises that the header plans are not those that were executed: what they would cost is "
                      "not worked out",
                      planned_noises(run)));
    report.views = views_of(execution, everybody, with_planned, price);
    // A round that was cut off looks more costly than it was planned: participants whose noise hides that of the others
    // are not recorded.
    std::optional<Execution> shorter;
    if (record.is_cut_off()) shorter.emplace(record.without_last_round());
    Execution& whole = shorter ? *shorter : execution;
    const std::vector<View> views = shorter ? views_of(whole, everybody, with_planned, price) : report.views;
    if (!whole.record().rounds().empty() && with_planned) report.checks.push_back(check_epsilon(views));
    report.budget = budget_spend(whole, views, everybody, price);
    if (report.budget) report.checks.push_back(check_budget(*report.budget, report.is_filtered));
    report.silos = silo_spends(execution, price);
    if (!report.silos.empty()) report.checks.push_back(check_silo_budgets(report.silos));
  } else {
    report.notes.emplace_back(
        fmt::format("{}: nothing here is a privacy guarantee",
                    std::holds_alternative<MedianClipping>(run->clipping)
                        ? "the noise follows the median of the records' norms, which is theirs to tell"
                        : run->algorithm + " adds no noise"));
  }
  report.passed = std::ranges::all_of(report.checks, &Check::passed);
  return report;
}

}  // namespace

Report verify(const Ledger& ledger, double delta) {
  ranges::delta(delta);
  return report_on(Record(ledger), ParticipationChecks(ledger.header).look_at_all(ledger.participations), ledger.torn,
                   delta);
}

// Where noise follows errors, what is planned hangs on all of them.
bool is_divided(const LedgerReader& reader) { return !reader.header().run.validation(); }

Report verify(LedgerReader& reader, double delta, Ranks* ranks) {
  ranges::delta(delta);
  // What an accountant refuses is the ledger's to explain.
  const auto told = [&](const auto& report) {
    try {
      return report();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("ledger {}: {}", reader.name(), error.what()));
    }
  };
  if (!is_divided(reader)) {
    const Ledger whole = whole_ledger(reader);
    return told([&] { return verify(whole, delta); });
  }
  CheckedLedger read = read_and_check(reader, ranks);
  return told([&] { return report_on(std::move(read.record), read.found, reader.is_torn(), delta); });
}

Report verify(const std::filesystem::path& file, double delta) {
  LedgerReader reader(file);
  return verify(reader, delta);
}

}  // namespace dpbudget::fl
