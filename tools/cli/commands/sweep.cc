#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/runs.h"
#include "dpbudget/tools/cli/ranks/launched.h"
#include "dpbudget/tools/cli/ranks/shared_run.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/progress.h"
#include "dpbudget/tools/cli/simulation/scores.h"
#include "dpbudget/tools/cli/sweep/cells.h"
#include "dpbudget/tools/cli/sweep/figure.h"
#include "dpbudget/tools/cli/sweep/processes.h"
#include "dpbudget/tools/cli/sweep/results.h"
#include "dpbudget/tools/cli/sweep/train.h"

namespace dpbudget::tools {
namespace {

struct SweepOptions {
  fl::RunRequest run;
  DataOptions data;
  std::vector<GridAxis> grid;
  GridKeys keys;
  std::uint64_t seeds = 1;
  std::uint64_t processes = 0;
  std::uint64_t threads = 1;
  Shard shard;
  fl::Ranks* ranks = nullptr;
  std::string results = "dpbudget.sweep.jsonl";
  std::string ledger;
  std::string metric = "test_score";
  std::string plot;
  std::string against = "epsilon";
  NamedFiles inputs;
  bool json = false;
};

struct Sweep {
  const SweepOptions& options;
  std::vector<SweepCell> cells;
  std::vector<SweepRun> runs;
  Metric metric;
};

std::string values_text(const SweepOptions& options, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < options.grid.size(); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", flag_of(options.grid[i].key), values[i]);
  return text;
}

// run.jsonl becomes run.NAME.jsonl.
std::string ledger_of(const SweepOptions& options, const SweepRun& run) {
  if (options.ledger.empty()) return {};
  std::filesystem::path path(options.ledger);
  path.replace_filename(fmt::format("{}.{}{}", path.stem().string(), run.name, path.extension().string()));
  return path.string();
}

bool asks_noise(const Sweep& sweep) {
  return std::ranges::any_of(sweep.cells, [](const SweepCell& cell) { return cell.request.asks_noise; });
}

std::string metric_text(const Sweep& sweep, double value) {
  const std::string& model = sweep.cells.front().request.model;
  return sweep.metric.name.find("score") == std::string::npos ? fmt::format("{:.5g}", value) : score_text(model, value);
}

std::vector<Row> rows_of(const Sweep& sweep, const std::vector<CellResult>& results) {
  const bool has_noise = asks_noise(sweep);
  const bool has_epsilon =
      std::ranges::any_of(results, [](const CellResult& cell) { return cell.epsilon.has_value(); });
  Row heading;
  for (const GridAxis& axis : sweep.options.grid) heading.push_back(axis.key);
  heading.emplace_back("runs");
  if (has_noise) heading.emplace_back("noise found");
  if (has_epsilon) heading.emplace_back("spent");
  heading.insert(heading.end(), {sweep.metric.name, "deviation", ""});
  std::vector<Row> rows{std::move(heading)};
  const auto number = [](const std::optional<double>& value) { return value ? rounded_up(*value) : std::string(); };
  for (const CellResult& cell : results) {
    Row row = cell.values;
    row.push_back(std::to_string(cell.done));
    if (has_noise) row.push_back(number(cell.noise));
    if (has_epsilon) row.push_back(number(cell.epsilon));
    const auto found = cell.metrics.find(sweep.metric.name);
    const bool is_there = found != cell.metrics.end();
    row.push_back(is_there ? metric_text(sweep, found->second.mean) : "");
    row.push_back(is_there ? metric_text(sweep, found->second.deviation) : "");
    std::string remark = cell.is_efficient ? "on the front" : "";
    if (cell.diverged > 0) remark = fmt::format("{} diverged", cell.diverged);
    if (cell.unverified > 0) remark = fmt::format("{} not verified", cell.unverified);
    row.push_back(std::move(remark));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> notes_of(const Sweep& sweep, const std::vector<CellResult>& results) {
  std::vector<std::string> notes;
  const bool has_epsilon =
      std::ranges::any_of(results, [](const CellResult& cell) { return cell.epsilon.has_value(); });
  if (has_epsilon) {
    notes.push_back(
        fmt::format("epsilon spent is proven of each run by itself, at its delta and against its adversary ({} "
                    "unless the grid says otherwise); all runs together, or a choice among them by their "
                    "scores, spend more: dpbudget tune says how much",
                    to_string(sweep.options.run.budget_for)));
    notes.emplace_back("on the front: no other cell has a better mean for no more epsilon");
  }
  return notes;
}

nlohmann::json json_of(const Sweep& sweep, const std::vector<CellResult>& results, std::size_t done) {
  nlohmann::json json{
      {"results", sweep.options.results}, {"runs", sweep.runs.size()},        {"done", done},
      {"metric", sweep.metric.name},      {"cells", nlohmann::json::array()}, {"notes", notes_of(sweep, results)}};
  const auto number = [](const std::optional<double>& value) { return value ? json_number(*value) : nlohmann::json(); };
  for (const CellResult& cell : results) {
    nlohmann::json entry{{"values", nlohmann::json::object()}, {"runs", cell.done},
                         {"diverged", cell.diverged},          {"unverified", cell.unverified},
                         {"noise", number(cell.noise)},        {"epsilon", number(cell.epsilon)},
                         {"on_front", cell.is_efficient},      {"metrics", nlohmann::json::object()}};
    for (std::size_t i = 0; i < sweep.options.grid.size(); ++i)
      entry["values"][sweep.options.grid[i].key] = cell.values[i];
    for (const auto& [name, found] : cell.metrics)
      entry["metrics"][name] = {{"mean", json_number(found.mean)}, {"deviation", json_number(found.deviation)}};
    json["cells"].push_back(std::move(entry));
  }
  return json;
}

void describe(const Sweep& sweep, const std::vector<CellResult>& results, std::size_t done, Page& page) {
  if (!page.is_wanted()) return;
  page.answer("runs", fmt::format("{} of {}", done, sweep.runs.size()));
  assume(sweep.options.run.budget_for, page);
  page.table("Cells", rows_of(sweep, results));
  for (const std::string& note : notes_of(sweep, results)) page.note(note);
}

// All that can be refused before the first run, is.
// @param data  set to what tells the first cell's data from others, where they are loaded in this process
// @return the exit status that the first cell's data ask for
int check(const Sweep& sweep, std::string& data) {
  const SweepOptions& options = sweep.options;
  for (const SweepCell& cell : sweep.cells) fl::settle(fl::with_some_noise(cell.request));
  if (!options.plot.empty()) {
    check_plot_file(options.plot);
    check_against(options.against, options.grid);
  }
  check_output_files({{"--results", options.results}, {"--plot", options.plot}}, options.inputs);
  if (!options.ledger.empty())
    for (const SweepRun& run : sweep.runs)
      check_output_files({{"--results", options.results}, {"--ledger", ledger_of(options, run)}}, options.inputs);
  const SweepCell& first = sweep.cells.front();
  const auto load = [&](std::size_t) {
    const auto clients = first.data.clients(first.request.seed);
    fl::check(fl::settle(fl::with_some_noise(first.request)), *clients);
    data = std::to_string(clients->fingerprint());
    return inside_budget;
  };
  if (options.ranks != nullptr && options.processes == 1) return load(0);
  // In a process of its own: threads that loading starts would be missing from copies of this one.
  return in_processes(1, 2, load, [](std::size_t) {});
}

// The exit status of one run, whose row is in the file then.
int run_one(const Sweep& sweep, const SweepRun& run, const SweepResults& file) {
  const SweepCell& cell = sweep.cells[run.cell];
  try {
    if (const auto row = train(run, cell, sweep.options.grid, ledger_of(sweep.options, run))) file.append(*row);
  } catch (const InvalidArgument& error) {
    std::cerr << fmt::format("dpbudget: {} --seed {}: {}\n", values_text(sweep.options, cell.values), run.request.seed,
                             error.what());
    return bad_input;
  }
  return inside_budget;
}

void print(const Sweep& sweep, const std::vector<CellResult>& results, std::size_t done) {
  const std::vector<Row> rows = rows_of(sweep, results);
  std::vector<std::size_t> right(rows.front().size() - 1);
  std::iota(right.begin(), right.end(), std::size_t{0});
  std::cout << table(rows, right) << "\n";
  for (const std::string& note : notes_of(sweep, results)) std::cout << field("note", note);
  if (done < sweep.runs.size())
    std::cout << field("missing", fmt::format("{} of {} runs are not in {} yet: the same command does those that are "
                                              "left, another --shard its own",
                                              sweep.runs.size() - done, sweep.runs.size(), sweep.options.results));
}

int run(const Sweep& sweep, Page& page) {
  const SweepOptions& options = sweep.options;
  std::optional<SweepResults> found;
  std::map<std::string, nlohmann::json> before;
  std::string data;
  int status = together(options.ranks, [&] {
    if (const int refused = check(sweep, data); refused != inside_budget) return refused;
    found.emplace(options.results, sweep.runs);
    before = found->read();
    return inside_budget;
  });
  if (status == inside_budget) status = same_everywhere(options.ranks, data, "the data");
  if (status != inside_budget) return status;
  const SweepResults& file = *found;
  const Shard own = options.shard.part(fl::share_of(options.ranks));
  std::size_t left_for_all = 0;
  std::vector<const SweepRun*> left;
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    if (before.contains(sweep.runs[i].name)) continue;
    if (options.shard.has(i)) ++left_for_all;
    if (own.has(i)) left.push_back(&sweep.runs[i]);
  }
  const std::uint64_t at_once = options.processes * fl::share_of(options.ranks).count;
  if (!options.json)
    std::cout << field("sweep",
                       fmt::format("{} cells, {} seeds: {} runs, of which {} are in {} already", sweep.cells.size(),
                                   options.seeds, sweep.runs.size(), before.size(), options.results))
              << field("to be done", left_for_all == 0 ? "nothing"
                                                       : fmt::format("{} runs, {} at a time", left_for_all,
                                                                     std::min<std::uint64_t>(at_once, left_for_all)))
              << "\n"
              << std::flush;
  const InterruptNote note;
  Progress progress("run", left.size(), !is_follower() && isatty(STDERR_FILENO) != 0);
  if (is_follower()) std::cerr.clear();  // what becomes of a run of its own is its own to say
  status = together(options.ranks, [&] {
    return in_processes(
        left.size(), options.processes, [&](std::size_t i) { return run_one(sweep, *left[i], file); },
        [&](std::size_t done) { progress(done); });
  });
  progress.clear();
  if (is_follower()) return status;
  const auto rows = file.read();
  const std::vector<CellResult> results = results_of(sweep.cells, sweep.runs, rows, sweep.metric);
  if (std::ranges::any_of(results, [](const CellResult& cell) { return cell.unverified > 0; }))
    status = std::max(status, over_budget);
  describe(sweep, results, rows.size(), page);
  if (options.json)
    std::cout << json_of(sweep, results, rows.size()) << "\n";
  else
    print(sweep, results, rows.size());
  if (was_interrupted()) {
    std::cerr << fmt::format(
        "dpbudget: interrupted; {} holds the {} runs that are done, and the same command does "
        "those that are left\n",
        options.results, rows.size());
    return interrupted;
  }
  if (!options.plot.empty()) {
    draw_sweep(options.grid, results, sweep.metric, options.against, std::string(to_string(options.run.budget_for)),
               options.plot);
    if (!options.json) std::cout << field("figure", options.plot);
  }
  return status;
}

}  // namespace

void add_sweep(Program& program, int& status) {
  auto options = std::make_shared<SweepOptions>();
  options->processes = std::max(1U, std::thread::hardware_concurrency());
  const Command command = program.add("sweep", "many simulations: grids over any option, several seeds each");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget sweep --algorithm dp-fedavg --users 20 --records 200 --user-rate 0.5 --rounds 20 --clip 1 --noise ? "
      "\\\n"
      "      --grid epsilon=1,2,4,8 --grid step=0.1,1 --seeds 3 --results sweep.jsonl --plot sweep.svg\n"
      "  dpbudget sweep --config sweep.toml --shard 3/16\n"
      "Every combination of the grid's values is a cell; each cell is simulated with every seed, and each run is a "
      "line\n"
      "of the results: the last evaluation, what each adversary is proven to learn, and every parameter. The same\n"
      "command takes up a sweep that was interrupted: runs whose lines are there are not done again. Several "
      "processes,\n"
      "job arrays and machines may write one file, each with a --shard of its own, and the processes of mpirun divide "
      "the\n"
      "runs among them. With --noise ? every cell gets the least noise that is proven to keep to its --epsilon.\n"
      "In a configuration, grid = [\"step=0.1|1\", ...]: values are then separated by |.\n"
      "The noise is drawn in double precision: it is for studying budgets, not for publishing sensitive data.\n"
      "Exit status 1 when a ledger does not verify, 2 when a run is refused, 4 when a file cannot be written, 130 "
      "when\n"
      "it was interrupted; a training that diverges is a result.");
  config_option(command);
  run_options(command, options->run);
  command.find("--algorithm")->append_to_description(": " + algorithm_names(false));
  const std::vector<std::string> before = command.option_names();
  options->data.add_to(command);
  std::vector<std::string> data = command.option_names();
  std::erase_if(data, [&](const std::string& name) { return std::ranges::find(before, name) != before.end(); });
  options->keys = keys_of_all(data);
  command
      .repeated_option(
          "--grid", [options](const std::string& text) { read_grid(text, options->keys, options->grid); },
          "an option of the run or the data and its values, as step=0.1,1; several times, or with ; between, every "
          "combination is a cell; values that hold commas are separated by |")
      .type("NAME=VALUE,...");
  count_option(command, "--seeds", options->seeds, "runs of each cell, with seeds that count up from --seed");
  count_option(command, "--processes", options->processes, "runs at a time, by default one per core");
  count_option(command, "--threads", options->threads, "threads of each run; they change no bit of the result");
  command
      .option(
          "--shard", [options](const std::string& text) { options->shard = read_shard(text); },
          "do every COUNT-th run alone, from the INDEX-th on, and leave the others to other commands")
      .type("INDEX/COUNT");
  command
      .option("--results", options->results,
              "where a JSON line for each run goes; lines of this sweep that are there are kept, and their runs not "
              "done again")
      .type("FILE");
  command
      .option("--ledger", options->ledger,
              "where the ledgers go: NAME.EXT becomes NAME.RUN.EXT, RUN as in the results; left out, they are verified "
              "and not kept")
      .type("FILE");
  command
      .option(
          "--metric", options->metric,
          "what cells are compared by: test_score, score_of_last_tenth, personal_score, relative_rmse or train_loss")
      .type("NAME");
  command
      .option("--plot", options->plot,
              "draws the metric against --against, with its deviation over the seeds, and the Pareto front of metric "
              "and epsilon: .svg, .png or .pdf")
      .type("FILE");
  command
      .option("--against", options->against,
              "what --plot draws the metric against: epsilon, or an option that --grid has")
      .type("NAME");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, command, &status, &page = program.page()] {
    require(1 <= options->threads && options->threads <= 4096, "--threads", options->threads, "in [1, 4096]");
    require(1 <= options->processes && options->processes <= 4096, "--processes", options->processes, "in [1, 4096]");
    require(!options->results.empty(), "--results", "empty", "the name of a file");
    options->run.threads = static_cast<unsigned>(options->threads);
    if (const Option config = command.find("--config").value(); config.is_given())
      options->inputs.emplace_back("--config", config.text());
    Sweep sweep{*options, cells_of(command, options->grid, options->run, options->data), {}, {}};
    sweep.runs = runs_of(sweep.cells, options->seeds);
    sweep.metric = metric_of(options->metric, sweep.cells);
    for (const SweepCell& cell : sweep.cells) {
      check_record_rate(command, cell.request);
      for (auto& file : cell.data.files()) options->inputs.push_back(std::move(file));
      options->inputs.emplace_back("--schedule", fl::file_of(cell.request.schedule).value_or(""));
    }
    std::ranges::sort(options->inputs);
    options->inputs.erase(std::ranges::unique(options->inputs).begin(), options->inputs.end());
    options->ranks = launched_ranks();
    if (options->ranks != nullptr && !command.find("--processes").value().is_given()) options->processes = 1;
    status = run(sweep, page);
  });
}

}  // namespace dpbudget::tools
