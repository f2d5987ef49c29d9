#include "dpbudget/tools/cli/commands/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/runs.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/results_file.h"
#include "dpbudget/tools/cli/simulation/scores.h"
#include "dpbudget/tools/cli/simulation/simulation.h"
#include "dpbudget/tools/cli/simulation/tuning.h"

namespace dpbudget::tools {
namespace {

// What one adversary learns; nothing where there is no guarantee.
struct Spending {
  fl::Adversary adversary;
  std::optional<Bound> last;      // the run with the chosen values alone
  std::optional<Bound> tuning;    // all runs of cross-validation, and a private choice
  std::optional<Bound> together;  // both
};

struct Answer {
  const TuneOptions& options;
  const std::vector<Combination>& combinations;
  const Tuning& tuning;
  std::optional<std::size_t> best;
  std::vector<Spending> spending;
};

std::string epsilon_text(const std::optional<Bound>& bound) {
  return bound ? fmt::format("{} proven", rounded_up(bound->upper)) : std::string("no guarantee");
}

nlohmann::json epsilon_json(const std::optional<Bound>& bound) { return bound ? to_json(*bound) : nlohmann::json(); }

// What is said of the numbers.
// fl/tuning/proofs.md, 1.2 and 2.3
std::vector<std::string> notes_of(const TuneOptions& options, std::size_t combinations) {
  std::vector<std::string> notes;
  notes.push_back(fmt::format(
      "tuning is the composition of all {} runs, each with a seed and noise of its own, as their ledgers say that they "
      "were executed: a record trains in {} of the {} runs of each combination, a user in all (fl/tuning/proofs.md, "
      "1.2)",
      combinations * options.folds, options.folds - 1, options.folds));
  if (options.selection_epsilon)
    notes.push_back(fmt::format(
        "the choice is an exponential mechanism of epsilon {} on the mean accuracies of held-out records, counted in "
        "tuning; the accuracies are not shown, for showing them would not be private",
        *options.selection_epsilon));
  else
    notes.emplace_back(
        "the scores, and the choice by them, look at held-out records without noise: nothing protects these records "
        "from whoever learns the scores or the choice, and no number here counts that. --selection-epsilon makes the "
        "choice private");
  notes.emplace_back("what is done to all records before training, such as standardisation, is not private either");
  return notes;
}

std::string table_of_scores(const Answer& answer, const std::string& model) {
  Row heading;
  for (const GridAxis& axis : answer.options.grid) heading.push_back(axis.key);
  heading.push_back(measures_accuracy(model) ? "mean accuracy" : "mean squared error");
  heading.emplace_back("deviation");
  std::vector<Row> rows{std::move(heading)};
  std::vector<std::size_t> right(answer.options.grid.size() + 2);
  std::iota(right.begin(), right.end(), std::size_t{0});
  for (std::size_t i = 0; i < answer.combinations.size(); ++i) {
    const fl::FoldScores& scores = answer.tuning.scores[i];
    const auto diverged = std::ranges::count_if(scores, [](const auto& score) { return !score; });
    Row row = answer.combinations[i].values;
    row.push_back(diverged == 0 ? score_text(model, *fl::mean_score(scores)) : fmt::format("{} diverged", diverged));
    row.push_back(diverged == 0 ? score_text(model, *fl::score_deviation(scores)) : "");
    rows.push_back(std::move(row));
  }
  return table(rows, right);
}

std::string table_of_spending(const Answer& answer) {
  std::vector<Row> rows{{"adversary", "protects", "the last run alone", "tuning", "both"}};
  for (const Spending& spent : answer.spending)
    rows.push_back({std::string(to_string(spent.adversary)),
                    spent.adversary == fl::Adversary::user_level ? "a client" : "a record", epsilon_text(spent.last),
                    epsilon_text(spent.tuning), epsilon_text(spent.together)});
  return fmt::format("epsilon at delta {}\n{}", answer.options.run.delta, table(rows));
}

void print(const Answer& answer) {
  const TuneOptions& options = answer.options;
  if (!options.selection_epsilon)
    std::cout << table_of_scores(answer, answer.combinations.front().request.model) << "\n";
  const Combination& best = answer.combinations[*answer.best];
  std::cout << field(options.selection_epsilon ? "chosen" : "best",
                     fmt::format("{}: train with these and --seed {}, which no run here had",
                                 values_text(options, best), options.run.seed))
            << field("ledgers", answer.tuning.is_verified ? "PASS: every run did what was planned"
                                                          : "FAIL: a run did not do what was planned")
            << "\n";
  if (!answer.spending.empty()) std::cout << table_of_spending(answer) << "\n";
  if (answer.spending.empty())
    std::cout << field("note", fmt::format("{} adds no noise: nothing here is private", best.request.algorithm));
  else
    for (const std::string& note : notes_of(options, answer.combinations.size())) std::cout << field("note", note);
}

void describe(const Answer& answer, Page& page) {
  if (!page.is_wanted()) return;
  page.answer("chosen", values_text(answer.options, answer.combinations[*answer.best]));
  page.answer("delta", fmt::format("{}", answer.options.run.delta));
  for (const Spending& spent : answer.spending) {
    assume(spent.adversary, page);
    if (!spent.together) continue;
    page.answer(fmt::format("epsilon, {}, tuning and the last run", to_string(spent.adversary)),
                bracket_text(*spent.together));
    page.rest_on(*spent.together);
  }
  for (const std::string& note : notes_of(answer.options, answer.combinations.size())) page.note(note);
}

void print_json(const Answer& answer) {
  const TuneOptions& options = answer.options;
  nlohmann::json json{
      {"folds", options.folds},
      {"runs", answer.tuning.runs.size()},
      {"verified", answer.tuning.is_verified},
      {"delta", options.run.delta},
      {"seed", options.run.seed},
      {"selection_epsilon", options.selection_epsilon ? nlohmann::json(*options.selection_epsilon) : nlohmann::json()},
      {"combinations", nlohmann::json::array()},
      {"spending", nlohmann::json::array()}};
  json["best"] = values_json(options, answer.combinations[*answer.best]);
  for (std::size_t i = 0; i < answer.combinations.size(); ++i) {
    nlohmann::json entry{{"values", values_json(options, answer.combinations[i])}};
    if (!options.selection_epsilon) {
      entry["scores"] = nlohmann::json::array();
      for (const auto& score : answer.tuning.scores[i])
        entry["scores"].push_back(score ? nlohmann::json(*score) : nlohmann::json());
      const auto mean = fl::mean_score(answer.tuning.scores[i]);
      entry["mean"] = mean ? nlohmann::json(*mean) : nlohmann::json();
      entry["deviation"] = mean ? nlohmann::json(*fl::score_deviation(answer.tuning.scores[i])) : nlohmann::json();
    }
    json["combinations"].push_back(std::move(entry));
  }
  for (const Spending& spent : answer.spending)
    json["spending"].push_back({{"adversary", to_string(spent.adversary)},
                                {"last", epsilon_json(spent.last)},
                                {"tuning", epsilon_json(spent.tuning)},
                                {"both", epsilon_json(spent.together)}});
  json["notes"] = answer.spending.empty() ? std::vector<std::string>{"nothing here is private"}
                                          : notes_of(options, answer.combinations.size());
  std::cout << json << "\n";
}

std::vector<std::string> result_columns(const TuneOptions& options) {
  std::vector<std::string> columns;
  for (const GridAxis& axis : options.grid) columns.push_back(axis.key);
  columns.insert(columns.end(), {"fold", "tuning_seed", "rounds_done", "diverged", "verified", "train_loss", "score"});
  return columns;
}

nlohmann::json row_of(const TuneOptions& options, const Combination& combination, const FoldResult& result) {
  nlohmann::json row = values_json(options, combination);
  row["fold"] = result.fold;
  row["tuning_seed"] = result.seed;
  row["rounds_done"] = result.rounds;
  row["diverged"] = !result.score;
  row["verified"] = result.is_verified;
  row["train_loss"] = result.train_loss ? json_number(*result.train_loss) : nlohmann::json();
  row["score"] = result.score ? json_number(*result.score) : nlohmann::json();
  return row;
}

// Against whom what is spent; none where no run adds noise.
std::vector<Spending> spending_of(const TuneOptions& options, const Combination& best, const fl::FederatedData& data,
                                  const std::vector<std::uint64_t>& kinds, const Tuning& tuning,
                                  const std::optional<fl::SelectionSensitivity>& sensitivity) {
  const std::vector<std::uint64_t> records = fl::records_of(data);
  const auto dimension = static_cast<std::uint64_t>(fl::make_model(best.request.model, data.train)->dimension());
  const fl::SettledRun last = fl::settle(best.request, records, dimension);
  if (!last.algorithm().adds_noise()) return {};
  const fl::Released released = fl::planned_releases(last, records, dimension, kinds);
  fl::TuningAccount account{.runs = tuning.runs, .folds = options.folds};
  if (options.selection_epsilon) {
    account.selection = options.selection_epsilon;
    for (const std::uint64_t client : kinds)
      account.user_selection.push_back(fl::range_for_user(*options.selection_epsilon, *sensitivity, client));
  }
  fl::TuningAccount both = account;
  both.last = &released;
  const fl::TuningAccount alone{.runs = {}, .folds = options.folds, .last = &released};
  fl::Pricing price(options.run.delta);
  std::vector<Spending> spending;
  for (const fl::Adversary adversary : fl::all_adversaries)
    spending.push_back(
        {adversary, alone.spent(adversary, price), account.spent(adversary, price), both.spent(adversary, price)});
  return spending;
}

// poisson:10 as well as poisson(10), which shells want quoted.
Trials read_trials(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string plan =
      colon == std::string::npos ? text : text.substr(0, colon) + "(" + text.substr(colon + 1) + ")";
  return parse_trials(plan);
}

void check_files(const TuneOptions& options, std::size_t combinations) {
  check_output_files({{"--results", options.results}}, options.inputs);
  if (options.ledger.empty()) return;
  for (std::size_t i = 0; i < combinations; ++i)
    for (std::uint64_t fold = 0; fold < options.folds; ++fold)
      check_output_files(
          {{"--results", options.results},
           {"--ledger", file_for_seed(options.ledger, seed_of_run(options.run.seed, options.folds, i, fold), true)}},
          options.inputs);
}

void check_selection(const TuneOptions& options, const std::vector<Combination>& combinations) {
  if (!options.selection_epsilon) return;
  require(0 < *options.selection_epsilon && *options.selection_epsilon <= 1e6, "--selection-epsilon",
          *options.selection_epsilon, "in (0, 1e6]");
  require(options.results.empty(), "--results", options.results,
          "left out beside --selection-epsilon, whose scores are not to be seen");
  for (const Combination& combination : combinations)
    require(measures_accuracy(combination.request.model), "--selection-epsilon", *options.selection_epsilon,
            fmt::format("left out for model {}, whose squared errors one record may move by any amount",
                        combination.request.model));
}

int run(const TuneOptions& options, const std::vector<Combination>& combinations, Page& page) {
  for (const Combination& combination : combinations) fl::settle(fl::with_some_noise(combination.request));
  check_models(combinations);
  check_selection(options, combinations);
  check_files(options, combinations.size());
  const fl::FederatedData data = options.data.load(options.run.seed);
  const fl::Folds folds(data, options.folds, options.run.seed);
  const std::vector<std::uint64_t> kinds = fl::one_of_each_kind(options.run, fl::records_of(data));
  ResultsFile results(options.results, result_columns(options));
  bool has_begun = false;
  const auto begin = [&] {
    if (std::exchange(has_begun, true)) return;
    results.begin();
    if (options.json) return;
    std::cout << field("data", data.description)
              << field("runs",
                       fmt::format("{} combinations of values, each trained {} times on {} of {} folds of every "
                                   "user's training records and scored on the other; test records are left alone",
                                   combinations.size(), options.folds, options.folds - 1, options.folds))
              << "\n"
              << std::flush;
  };
  const Tuning tuning = tune(combinations, folds, kinds, options.ledger, [&](const FoldResult& result) {
    begin();
    results.append(row_of(options, combinations[result.combination], result));
  });
  if (!tuning.is_complete) {
    std::cerr << fmt::format("dpbudget: interrupted after {} of {} runs\n", tuning.runs.size(),
                             combinations.size() * options.folds);
    return interrupted;
  }
  std::optional<fl::SelectionSensitivity> sensitivity;
  std::optional<std::size_t> best = fl::best_of(tuning.scores, measures_accuracy(combinations.front().request.model));
  if (!best) {
    page.answer("chosen", "nothing: the training diverged with every combination");
    std::cerr << "dpbudget: the training diverged with every combination, a smaller --step may help\n";
    return diverged;
  }
  if (options.selection_epsilon) {
    sensitivity =
        fl::selection_sensitivity(folds, fl::find_algorithm(combinations.front().request.algorithm).personalised);
    mechanisms::Stream stream({options.run.seed, mechanisms::Purpose::selection, 0, 0, 0});
    best = fl::choose_privately(tuning.scores, sensitivity->record, *options.selection_epsilon, stream);
  }
  const Answer answer{options, combinations, tuning, best,
                      spending_of(options, combinations[*best], data, kinds, tuning, sensitivity)};
  describe(answer, page);
  if (options.json)
    print_json(answer);
  else
    print(answer);
  return tuning.is_verified ? inside_budget : over_budget;
}

}  // namespace

// A score is a score of the same kind.
void check_models(const std::vector<Combination>& combinations) {
  for (const Combination& combination : combinations)
    require(measures_accuracy(combination.request.model) == measures_accuracy(combinations.front().request.model),
            "--grid", combination.request.model, "of models whose scores compare");
}

std::string values_text(const TuneOptions& options, const Combination& combination) {
  std::string text;
  for (std::size_t i = 0; i < options.grid.size(); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", flag_of(options.grid[i].key), combination.values[i]);
  return text;
}

nlohmann::json values_json(const TuneOptions& options, const Combination& combination) {
  nlohmann::json json = nlohmann::json::object();
  for (std::size_t i = 0; i < options.grid.size(); ++i) json[options.grid[i].key] = combination.values[i];
  return json;
}

void add_tune(Program& program, int& status) {
  auto options = std::make_shared<TuneOptions>();
  options->threads = std::max(1U, std::thread::hardware_concurrency());
  // Nobody looks at a model before the last.
  options->run.evaluate_every = std::uint64_t{1} << 53U;
  const Command command =
      program.add("tune", "values for a simulation, by cross-validation, and what finding them spends");
  if (!command.is_named()) return;
  command.footer(
      "Example:\n"
      "  dpbudget tune --algorithm dp-fedavg --users 10 --records 200 --rounds 10 --user-rate 0.5 --noise 5 \\\n"
      "      --grid step=0.1,1 --grid clip=0.5,1 --folds 5\n"
      "Every combination of the grid's values is trained once for each fold of the training records, on the others,\n"
      "and scored on it. What that spends is the composition of all runs, beside what one run with the best values\n"
      "spends. Whoever learns the scores, or the choice by them, learns of held-out records what no noise hides;\n"
      "--selection-epsilon chooses by an exponential mechanism instead, which is accounted for, and shows no scores.\n"
      "  dpbudget tune --algorithm dp-fedavg --users 10 --records 200 --rounds 10 --user-rate 0.5 --noise 5 \\\n"
      "      --grid step=0.1,1 --grid clip=0.5,1 --trials poisson:10 --save-model best.json\n"
      "With --trials the best of a random number of runs is what is released, and costs what `epsilon 'select(...)'`\n"
      "says: mostly less than two runs. How many there were and how the others came out stays secret.\n"
      "The noise is drawn in double precision: it is for studying budgets, not for publishing sensitive data.\n"
      "Budgets such as --epsilon are of each run. Exit status 1 when a ledger does not verify, 3 when every\n"
      "combination diverges, 4 when a file cannot be written, 130 when it was interrupted.");
  config_option(command);
  run_options(command, options->run);
  command.find("--algorithm")->append_to_description(": " + algorithm_names(false));
  options->data.add_to(command);
  command
      .repeated_option(
          "--grid", [options](const std::string& text) { read_grid(text, keys_of_one_budget(), options->grid); },
          "an option of the run and its values, as step=0.1,1; several times, or with ; between, every combination is "
          "tried; values that hold commas are separated by |")
      .type("NAME=VALUE,...");
  const Option folds =
      count_option(command, "--folds", options->folds, "parts that each user's training records are divided in");
  const Option selection = number_option(
      command, "--selection-epsilon", options->selection_epsilon,
      "the choice is private: an exponential mechanism of this epsilon on the mean accuracies, which are not "
      "shown; left out, the best mean is taken");
  command
      .option(
          "--trials", [options](const std::string& text) { options->trials = read_trials(text); },
          "in the place of cross-validation, the best of a random number of runs on all training records, each with a "
          "combination that it draws; by the score on the test records, which are taken as public")
      .type("poisson:MEAN|geometric:GAMMA|negative_binomial:ETA,GAMMA")
      .excludes(folds)
      .excludes(selection);
  command.option("--save-model", options->model, "beside --trials, where the best run's parameters go, as JSON")
      .type("FILE");
  count_option(command, "--threads", options->threads,
               "threads, by default one per core; they change no bit of the result");
  command
      .option("--results", options->results,
              "where one row for each run goes, in CSV if it ends in .csv, else as JSON lines")
      .type("FILE");
  command
      .option("--ledger", options->ledger,
              "where the ledgers go: NAME.EXT becomes NAME.seed-N.EXT for the run of seed N; left out, they are "
              "verified and not kept")
      .type("FILE");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, command, &status, &page = program.page()] {
    require(1 <= options->threads && options->threads <= 4096, "--threads", options->threads, "in [1, 4096]");
    require(options->model.empty() || options->trials, "--save-model", options->model,
            "left out without --trials: no run of cross-validation is the one that is released");
    require(!options->grid.empty(), "--grid", "left out", "given: the values to be tried");
    require(!options->run.evaluate_clients, "--evaluate-clients", options->run.evaluate_clients.value_or(0),
            "left out: scores are of all held-out records");
    options->run.threads = static_cast<unsigned>(options->threads);
    options->inputs = options->data.files();
    if (const Option config = command.find("--config").value(); config.is_given())
      options->inputs.emplace_back("--config", config.text());
    const std::vector<Combination> all = combinations(command, options->grid, options->run);
    for (const Combination& combination : all) {
      options->inputs.emplace_back("--schedule", fl::file_of(combination.request.schedule).value_or(""));
      check_record_rate(command, combination.request);
      // fl/tuning/proofs.md, 1.2
      require(options->trials || !fl::validation_of(combination.request.schedule), "--schedule",
              combination.request.schedule,
              "one that is fixed in advance, or --trials given: the errors in cross-validation are those of held-out "
              "training records");
    }
    status = options->trials ? run_trials(*options, all, page) : run(*options, all, page);
  });
}

}  // namespace dpbudget::tools
