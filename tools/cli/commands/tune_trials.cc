#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/tuning/trials.h"
#include "dpbudget/mechanisms/number_of_trials.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/commands/tune.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/runs.h"
#include "dpbudget/tools/cli/simulation/best_trial.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/save_model.h"
#include "dpbudget/tools/cli/simulation/scores.h"

namespace dpbudget::tools {
namespace {

// Who is handed the best run alone, for a record and for a whole client; nothing where there is no guarantee.
struct TrialsSpending {
  fl::Adversary unit;
  std::optional<fl::TrialsCost> cost;
};

struct TrialsAnswer {
  const TuneOptions& options;
  const std::vector<Combination>& combinations;
  const BestTrial& best;
  std::vector<TrialsSpending> spending;  // none where no run adds noise

  const Combination& chosen() const { return combinations[best.chosen->combination]; }
};

constexpr std::array units = {fl::Adversary::third_party, fl::Adversary::user_level};

std::string protects(fl::Adversary unit) { return unit == fl::Adversary::user_level ? "a client" : "a record"; }

bool is_private(const TrialsAnswer& answer) { return !answer.spending.empty(); }

// fl/tuning/proofs.md, 3.1 to 3.4
std::vector<std::string> notes_on(const TrialsAnswer& answer) {
  if (!is_private(answer))
    return {fmt::format("{} adds no noise: nothing here is private", answer.chosen().request.algorithm)};
  return {
      "this is for whoever is handed the best run alone: its values, its model after every round, and its score. How "
      "many trials there were and how the others came out is not shown, and whoever learns it, from how long this took "
      "or from --seed, is not covered",
      "the server and the clients take part in every trial: against them all trials compose, as many as there were",
      "the score is of the test records, which are taken as public: nothing protects these, nor the training records "
      "from what is done to all records before, such as standardisation; nor is it covered that a trial diverged where "
      "that shows in the records' own numbers alone "
      "(fl/tuning/proofs.md, 3.3)"};
}

std::string table_of_costs(const TrialsAnswer& answer) {
  const double mean = mechanisms::mean_number(*answer.options.trials);
  std::vector<Row> rows{{"protects", "one trial", "the best, at most", "and at least",
                         fmt::format("all of {:.6g} trials", std::ceil(mean * (1 - 0x1p-30)))}};
  for (const auto& [unit, cost] : answer.spending) {
    if (!cost) {
      rows.push_back({protects(unit), "no guarantee", "no guarantee", "", "no guarantee"});
      continue;
    }
    const BoundText best = texts_of(cost->best);
    rows.push_back({protects(unit), fmt::format("{} proven", rounded_up(cost->one.upper)), best.most + " proven",
                    best.least, fmt::format("{} proven", rounded_up(cost->composed.upper))});
  }
  return fmt::format("epsilon at delta {}, of what is released\n{}", answer.options.run.delta, table(rows));
}

void print_trials(const TrialsAnswer& answer) {
  const std::string& model = answer.chosen().request.model;
  std::cout << field("chosen", fmt::format("{}: {} {}", values_text(answer.options, answer.chosen()), score_name(model),
                                           score_text(model, answer.best.chosen->score)))
            << field("ledgers", answer.best.is_verified ? "PASS: every trial did what was planned"
                                                        : "FAIL: a trial did not do what was planned")
            << "\n";
  for (const auto& [unit, cost] : answer.spending)
    if (cost) std::cout << named_lines(protects(unit), to_text(cost->plan));
  if (is_private(answer)) std::cout << "\n" << table_of_costs(answer) << "\n";
  // Both units' theorems are of the same selection: those of records, or where these have none of clients.
  for (const auto& [unit, cost] : answer.spending)
    if (cost) {
      std::cout << reason_lines(cost->best);
      break;
    }
  for (const std::string& note : notes_on(answer)) std::cout << field("note", note);
}

nlohmann::json spent_json(const TrialsSpending& spent) {
  const auto bound = [&](const Bound fl::TrialsCost::* member) {
    return spent.cost ? to_json((*spent.cost).*member) : nlohmann::json();
  };
  return {{"protects", protects(spent.unit)},
          {"plan", spent.cost ? nlohmann::json(to_text(spent.cost->plan)) : nlohmann::json()},
          {"one", bound(&fl::TrialsCost::one)},
          {"best", bound(&fl::TrialsCost::best)},
          {"composed", bound(&fl::TrialsCost::composed)}};
}

void print_trials_json(const TrialsAnswer& answer) {
  const TuneOptions& options = answer.options;
  nlohmann::json json{{"trials", to_text(*options.trials)},  {"verified", answer.best.is_verified},
                      {"delta", options.run.delta},          {"best", values_json(options, answer.chosen())},
                      {"score", answer.best.chosen->score},  {"combinations", nlohmann::json::array()},
                      {"spending", nlohmann::json::array()}, {"notes", notes_on(answer)}};
  for (const Combination& combination : answer.combinations)
    json["combinations"].push_back({{"values", values_json(options, combination)}});
  for (const TrialsSpending& spent : answer.spending) json["spending"].push_back(spent_json(spent));
  std::cout << json << "\n";
}

void describe_trials(const TrialsAnswer& answer, Page& page) {
  if (!page.is_wanted()) return;
  page.answer("chosen", values_text(answer.options, answer.chosen()));
  page.answer("delta", fmt::format("{}", answer.options.run.delta));
  for (const auto& [unit, cost] : answer.spending) {
    assume(unit, page);
    if (!cost) continue;
    page.answer(fmt::format("epsilon of the best trial, {}", protects(unit)), bracket_text(cost->best));
    page.rest_on(cost->best);
  }
  for (const std::string& note : notes_on(answer)) page.note(note);
}

void check_trials(const TuneOptions& options, const std::vector<Combination>& combinations) {
  mechanisms::require_drawable(*options.trials);
  require(mechanisms::mean_number(*options.trials) > 0, "--trials", to_text(*options.trials),
          "of a positive mean: there would be no trial");
  for (const auto& [name, file] : {std::pair("--results", options.results), std::pair("--ledger", options.ledger)})
    require(file.empty(), name, file, "left out beside --trials, whose other runs are not to be seen");
  for (const Combination& combination : combinations)
    require(!fl::find_algorithm(combination.request.algorithm).personalised, "--trials", to_text(*options.trials),
            fmt::format("left out for {}, whose score is of models that no one but their clients sees",
                        combination.request.algorithm));
  check_output_files({{"--save-model", options.model}}, options.inputs);
}

std::vector<TrialsSpending> spending_of(const TuneOptions& options, const std::vector<Combination>& combinations,
                                        const fl::FederatedData& data) {
  for (const Combination& combination : combinations)
    if (!fl::find_algorithm(combination.request.algorithm).adds_noise()) return {};
  const std::vector<std::uint64_t> kinds = fl::one_of_each_kind(options.run, fl::records_of(data));
  const std::vector<fl::Released> released = planned_of_each(combinations, data, kinds);
  fl::Pricing price(options.run.delta);
  std::vector<TrialsSpending> spending;
  const std::optional<fl::SettledRun> filtered = filtered_one(combinations, data);
  for (const fl::Adversary unit : units) {
    std::optional<fl::TrialsCost> cost = fl::trials_cost(*options.trials, released, unit, price);
    if (cost && filtered)
      for (const auto member : {&fl::TrialsCost::one, &fl::TrialsCost::best, &fl::TrialsCost::composed})
        (*cost).*member = fl::of_run(*filtered, std::move((*cost).*member));
    spending.push_back({unit, std::move(cost)});
  }
  return spending;
}

void save_chosen(const TuneOptions& options, const std::vector<Combination>& combinations,
                 const fl::FederatedData& data, const BestTrial::Chosen& chosen) {
  const TuningRun run(combinations[chosen.combination].request, data, options.run.seed);
  save_model(run.settled_run(), chosen.parameters,
             {{"rounds", chosen.rounds}, {"values", values_json(options, combinations[chosen.combination])}},
             options.model);
}

}  // namespace

int run_trials(const TuneOptions& options, const std::vector<Combination>& combinations, Page& page) {
  for (const Combination& combination : combinations) fl::settle(fl::with_some_noise(combination.request));
  check_models(combinations);
  check_trials(options, combinations);
  const fl::FederatedData data = options.data.load(options.run.seed);
  // What has no answer is refused before anything is trained.
  std::vector<TrialsSpending> spending = spending_of(options, combinations, data);
  if (!options.json)
    std::cout << field("data", data.description)
              << field("trials", fmt::format("a number drawn from {}, each with one of {} combinations of values, "
                                             "drawn uniformly, trained on all training records and scored on the test "
                                             "records",
                                             to_text(*options.trials), combinations.size()))
              << "\n"
              << std::flush;
  const BestTrial best =
      best_trial(combinations, data, *options.trials, measures_accuracy(combinations.front().request.model));
  if (!best.is_complete) {
    std::cerr << "dpbudget: interrupted\n";
    return interrupted;
  }
  if (!best.chosen) {
    page.answer("chosen", "nothing: there was no trial, or the training diverged in each");
    std::cerr << "dpbudget: there was no trial, or the training diverged in each, where a smaller --step may help\n";
    return diverged;
  }
  if (!options.model.empty()) save_chosen(options, combinations, data, *best.chosen);
  const TrialsAnswer answer{options, combinations, best, std::move(spending)};
  describe_trials(answer, page);
  if (options.json)
    print_trials_json(answer);
  else
    print_trials(answer);
  return best.is_verified ? inside_budget : over_budget;
}

}  // namespace dpbudget::tools
