#include "dpbudget/fl/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"

namespace dpbudget::fl {
namespace {

// Rounding of the noise multiplier on its way through the ledger can move the mesh that an accountant chooses, and an
// upper end by as much as its bracket is wide. Equal plans have equal ends.
constexpr double epsilon_tolerance = default_tolerance;

// Of the kind of client that spends most.
template <class PlanOf>
std::optional<Priced> worst_of(const SettledRun& run, const std::vector<Sizes>& everybody, const PlanOf& plan_of,
                               double delta, Pricing& price) {
  auto worst = worst_spent(everybody, plan_of, delta, price);
  if (worst) worst->epsilon = of_run(run, std::move(worst->epsilon));
  return worst;
}

std::optional<Priced> worst_executed(const SettledRun& run, Execution& execution, Adversary adversary,
                                     const std::vector<Sizes>& everybody, double delta, Pricing& price) {
  return worst_of(run, everybody, [&](const Sizes& sizes) { return execution.plan(sizes, adversary); }, delta, price);
}

View view_of(const SettledRun& run, Execution& execution, Adversary adversary, const std::vector<Sizes>& everybody,
             bool with_planned, Pricing& price) {
  View view{adversary, std::nullopt, std::nullopt, std::nullopt};
  view.executed = worst_executed(run, execution, adversary, everybody, price.delta(), price);
  if (!with_planned) return view;
  for (const Sizes& sizes : everybody)
    if (plan(run.with_delta(price.delta()), sizes, adversary, Basis::published)) {
      Bound claim = claimed_epsilon(run, sizes, adversary, Basis::published, price);
      if (!view.published || view.published->upper < claim.upper) view.published = std::move(claim);
    }
  const auto planned = [&](const Sizes& sizes) -> std::optional<Plan> {
    auto proven = plan(run, sizes, adversary, Basis::proven);
    return proven ? std::optional(std::move(proven->plan)) : std::nullopt;
  };
  view.planned = worst_of(run, everybody, planned, price.delta(), price);
  return view;
}

std::vector<View> views_of(const SettledRun& run, Execution& execution, const std::vector<Sizes>& everybody,
                           bool with_planned, Pricing& price) {
  std::vector<View> views;
  for (const Adversary adversary : all_adversaries)
    views.push_back(view_of(run, execution, adversary, everybody, with_planned, price));
  return views;
}

Ledger without_last_round(Ledger ledger) {
  std::erase_if(ledger.participations,
                [&](const Participation& participation) { return participation.round == ledger.rounds.back().round; });
  ledger.rounds.pop_back();
  return ledger;
}

std::vector<ClientSpend> spends(const Ledger& ledger, Execution& execution, Pricing& price) {
  std::vector<std::uint64_t> participations(ledger.header.clients.size());
  for (const Participation& participation : ledger.participations)
    if (participation.client < participations.size()) ++participations[participation.client];
  std::vector<ClientSpend> spends;
  for (std::uint64_t client = 0; client < participations.size(); ++client) {
    ClientSpend spend{client, ledger.header.clients[client], participations[client], execution.realised(client), {}};
    if (spend.plan)
      spend.epsilon = price(*spend.plan);
    else
      spend.epsilon.upper = std::numeric_limits<double>::infinity();
    spends.push_back(std::move(spend));
  }
  return spends;
}

std::vector<SiloSpend> silo_spends(const Ledger& ledger, Execution& execution, Pricing& price) {
  const SettledRun& run = ledger.header.run;
  std::vector<SiloSpend> silos;
  if (run->silo_epsilon.empty()) return silos;
  const Population population(run, ledger.header.clients);
  for (std::uint64_t client = 0; client < ledger.header.clients.size(); ++client) {
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
    else if (ledger.rounds.empty())
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
// @param views  of `ledger`, as `execution` is
std::optional<BudgetSpend> budget_spend(const Ledger& ledger, Execution& execution, const std::vector<View>& views,
                                        const std::vector<Sizes>& everybody, Pricing& price) {
  const SettledRun& run = ledger.header.run;
  if (!run->epsilon) return std::nullopt;
  BudgetSpend budget{run->budget_for, *run->epsilon, run->delta, std::nullopt};
  if (ledger.rounds.empty()) {
    budget.spent = 0;
    return budget;
  }
  const auto executed = run->delta == price.delta()
                            ? std::ranges::find(views, run->budget_for, &View::adversary)->executed
                            : worst_executed(run, execution, run->budget_for, everybody, run->delta, price);
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

std::vector<std::string> notes_on(const Ledger& ledger, const std::vector<Sizes>& everybody) {
  std::vector<std::string> notes;
  const SettledRun& run = ledger.header.run;
  if (run.filter() != nullptr) {
    notes.push_back(run.filter()->guarantee().theorems.front());
    notes.emplace_back(
        "the noise was chosen by validation errors of released models, which are public only if the test records are");
    const double share = RunFilter(run, everybody).share(run, ledger.rounds.size());
    if (std::isfinite(share))
      notes.emplace_back(
          fmt::format("the bound is of all that the filter may let through; the planned noise of these "
                      "rounds takes {:.1f} % of that",
                      100 * share));
    notes.emplace_back("nothing is proven of the rounds of single clients, which no filter was asked about");
  }
  if (ledger.torn) notes.emplace_back("the last line was cut off while it was written; it is left out");
  if (!ledger.end)
    notes.emplace_back(fmt::format("the run did not finish: the numbers are for the {} rounds that are recorded",
                                   ledger.rounds.size()));
  if (is_cut_off(ledger))
    notes.emplace_back(fmt::format("round {} was cut off while it was written: it counts, as far as it is recorded",
                                   ledger.rounds.back().round));
  return notes;
}

}  // namespace

Report verify(const Ledger& ledger, double delta) {
  ranges::delta(delta);
  const SettledRun& run = ledger.header.run;
  const std::vector<Sizes> everybody = distinct_sizes(run, ledger.header.clients, ledger.header.dimension);
  for (const Sizes& sizes : everybody) check(run, sizes);

  Report report;
  report.algorithm = run->algorithm;
  report.delta = delta;
  report.is_private = run.algorithm().adds_noise() && !std::holds_alternative<MedianClipping>(run->clipping);
  report.is_filtered = run.filter() != nullptr;
  report.is_finished = ledger.end.has_value();
  report.rounds_planned = run.released_rounds();
  report.rounds_executed = ledger.rounds.size();
  report.checks = check_ledger(ledger);
  report.notes = notes_on(ledger, everybody);
  Pricing price(delta);
  Execution execution(ledger);
  report.clients = spends(ledger, execution, price);
  const auto worst = std::ranges::max_element(report.clients, {}, [](const ClientSpend& s) { return s.epsilon.upper; });
  if (worst != report.clients.end() && worst->participations > 0 && !run.validation())
    report.worst_client = worst->client;
  if (report.is_private) {
    const bool with_planned = is_worth_pricing(run, report.checks);
    if (!with_planned)
      report.notes.push_back(
          fmt::format("the {} noises that the header plans are not those that were executed: what they would cost is "
                      "not worked out",
                      planned_noises(run)));
    report.views = views_of(run, execution, everybody, with_planned, price);
    // A round that was cut off looks more costly than it was planned: participants whose noise hides that of the others
    // are not recorded.
    const std::optional<Ledger> shorter = is_cut_off(ledger) ? std::optional(without_last_round(ledger)) : std::nullopt;
    const Ledger& whole = shorter ? *shorter : ledger;
    std::optional<Execution> of_shorter;
    if (shorter) of_shorter.emplace(whole);
    Execution& of_whole = shorter ? *of_shorter : execution;
    const std::vector<View> views = shorter ? views_of(run, of_whole, everybody, with_planned, price) : report.views;
    if (!whole.rounds.empty() && with_planned) report.checks.push_back(check_epsilon(views));
    report.budget = budget_spend(whole, of_whole, views, everybody, price);
    if (report.budget) report.checks.push_back(check_budget(*report.budget, report.is_filtered));
    report.silos = silo_spends(ledger, execution, price);
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

}  // namespace dpbudget::fl
