#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/schedule/text.h"
#include "dpbudget/fl/verify/verify.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/fl_options.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/report_output.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/page/runs.h"
#include "dpbudget/tools/cli/ranks/launched.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/simulation.h"
#include "dpbudget/tools/cli/simulation/summary.h"

namespace dpbudget::tools {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 2> step_schedule_flags = {
    {{"step_schedule", "--step-schedule"}, {"server_step_schedule", "--server-step-schedule"}}};

struct SimulateOptions {
  fl::RunRequest run;
  DataOptions data;
  NamedFiles inputs;
  SimulationFiles files;
  std::uint64_t threads = 0;
  std::uint64_t seeds = 1;
  bool json = false;
};

nlohmann::json history_json(const SeedRun& seed_run) {
  nlohmann::json history = nlohmann::json::array();
  for (const fl::Metrics& metrics : seed_run.result.history) {
    history.push_back(
        {{"round", metrics.round}, {"train_loss", metrics.train_loss}, {"test_score", metrics.test_score}});
    if (const auto error = seed_run.relative_rmse(metrics)) history.back()["relative_rmse"] = *error;
    if (metrics.personal_score) history.back()["personal_score"] = *metrics.personal_score;
    for (const auto& [name, value] : metrics.measured) history.back()[name] = json_number(value);
  }
  return history;
}

// One seed's answer; the exit status it asks for.
int show(const SimulateOptions& options, const SeedRun& seed_run, Page& page) {
  const fl::Report report = fl::verify(seed_run.ledger, options.run.delta);
  const Budget budget{std::nullopt, options.run.budget_for};
  page.answer("seed", std::to_string(seed_run.seed));
  describe(report, budget, page);
  if (options.json) {
    nlohmann::json json = report_json(report, budget);
    json["seed"] = seed_run.seed;
    json["ledger"] = seed_run.ledger;
    json["history"] = history_json(seed_run);
    json["test_score"] = seed_run.result.last.test_score;
    json["train_loss"] = seed_run.result.last.train_loss;
    json["test_score_of_last_tenth"] = seed_run.score_of_last_tenth();
    if (const auto error = seed_run.relative_rmse(seed_run.result.last)) json["relative_rmse"] = *error;
    std::cout << json << "\n";
  } else {
    std::cout << "\n" << report_text(report, budget);
  }
  return is_inside(report, budget) ? inside_budget : over_budget;
}

// What a process does that mpirun started beside the first.
int serve(const SimulateOptions& options) {
  const InterruptNote note;  // the first process ends the run after its round
  follow(*options.files.ranks, [&](std::uint64_t seed) {
    fl::RunRequest request = options.run;
    request.seed = seed;
    return seeded_run(request, options.data);
  });
  return inside_budget;
}

int run(const SimulateOptions& options, Page& page) {
  if (is_follower()) return serve(options);
  const Leading leading(options.files.ranks);
  const InterruptNote note;  // one of an earlier run inside this process says nothing of this one
  fl::settle(fl::with_some_noise(options.run));
  if (!options.run.silo_noise.empty() && !options.run.silo_epsilon.empty())
    throw InvalidArgument("silo_noise is given, but must be left out beside silo_epsilon, which finds it");
  const SimulationFiles& files = options.files;
  const bool several = options.seeds > 1;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    const auto own = [&](const std::string& name) { return file_for_seed(name, options.run.seed + i, several); };
    check_output_files({{"--ledger", own(files.ledger)},
                        {"--results", own(files.results)},
                        {"--checkpoint", own(files.checkpoint)},
                        {"--save-model", own(files.model)},
                        {"--plot", files.plot}},
                       options.inputs);
  }
  if (!files.plot.empty()) check_plot_file(files.plot);
  if (files.resume) check_resumable(options.run.seed, options.seeds, files);
  std::vector<SeedRun> runs;
  int status = inside_budget;
  for (std::uint64_t i = 0; i < options.seeds && !was_interrupted(); ++i) {
    fl::RunRequest seeded = options.run;
    seeded.seed += i;
    if (i > 0 && !options.json) std::cout << "\n";
    runs.push_back(
        simulate_seed(seeded, options.data, files, several, options.json ? Seen::progress : Seen::evaluations));
    status = std::max(status, show(options, runs.back(), page));
  }
  const std::string figure = files.plot.empty() ? "" : plot_runs(runs, files.plot);
  if (several && !options.json)
    std::cout << "\n" << field("seeds", std::to_string(runs.size())) << "\n" << summary_table(runs);
  if (!figure.empty() && !options.json) std::cout << "\n" << field("figure", figure);
  if (!was_interrupted()) return status;
  std::cerr << fmt::format("dpbudget: interrupted after round {}; {}\n", runs.back().result.rounds,
                           files.checkpoint.empty() ? "the ledger holds all of them"
                                                    : "--resume with the same options takes the run up again");
  return interrupted;
}

}  // namespace

void add_simulate(Program& program, int& status) {
  auto options = std::make_shared<SimulateOptions>();
  options->threads = std::max(1U, std::thread::hardware_concurrency());
  const Command command =
      program.add("simulate", "federated training whose executed noise is written down and accounted");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n"
      "  dpbudget simulate --algorithm dp-scaffold --data synthetic:1,1 --users 20 --records 500 --rounds 30 \\\n"
      "      --local-steps 10 --user-rate 0.2 --noise 10 --clip 0.5 --ledger run.ledger.jsonl\n"
      "  dpbudget simulate --config run.toml --seeds 3 --plot run.svg --results run.jsonl\n"
      "  dpbudget simulate --algorithm dp-mb-sgd --model linear --users 5 --user-rate 1 --rounds 35 \\\n"
      "      --data 'csv:insurance.csv,target=charges,categorical=sex|smoker|region' --noise 3 --clip 10000 --step 1\n"
      "  dpbudget simulate --algorithm fedavg --data idx:train-images.gz,train-labels.gz --users 10 --rounds 20 \\\n"
      "      --local-steps 5 --user-rate 1\n"
      "  dpbudget simulate --algorithm dp-mb-sgd --users 3 --records 500 --rounds 20 --user-rate 1 --clip 0.5 \\\n"
      "      --silo-epsilon 0.5,1,2 --silo-delta 1e-6,1e-5,1e-5\n"
      "The noise is drawn in double precision: it is for studying budgets, not for publishing sensitive data.\n"
      "mpirun -n 4 dpbudget simulate ... divides the clients among four processes, and changes no bit of the result.\n"
      "With --epsilon the run stops before the round that would exceed it. With --silo-epsilon every silo gets the\n"
      "least noise that keeps its records to a budget of its own over all rounds. Exit status 1 when the ledger does\n"
      "not verify, 3 when the training diverges, 4 when a file cannot be written, 130 when the run was interrupted.");
  config_option(command);
  run_options(command, options->run);
  command.find("--algorithm")->append_to_description(": " + algorithm_names(false));
  options->data.add_to(command);
  count_option(command, "--threads", options->threads,
               "threads, by default one per core; they change no bit of the result");
  count_option(command, "--seeds", options->seeds, "runs, with seeds that count up from --seed");
  SimulationFiles& files = options->files;
  const auto file_option = [&](const std::string& name, std::string& file, const std::string& text) {
    return command.option(name, file, text).type("FILE");
  };
  const std::string by_seed = "with several --seeds, NAME.EXT becomes NAME.seed-N.EXT for seed N";
  file_option("--ledger", files.ledger,
              "where the ledger goes, in the place of an existing file, packed if it ends in .gz; " + by_seed);
  file_option(
      "--results", files.results,
      "where one row for each evaluation goes, in CSV if it ends in .csv, else as JSON lines: metrics, local step, "
      "epsilon spent per adversary, and every parameter of the run; " +
          by_seed);
  number_option(command, "--optimum", files.optimum,
                "evaluates log10(F - F*), F* being the least value of the regularised loss of a convex model, found to "
                "this gap, and how dissimilar clients' gradients are: mean |grad F_i - grad F|^2; neither is private");
  file_option("--save-model", files.model, "where the trained parameters go, as JSON; " + by_seed);
  file_option("--plot", files.plot, "draws score and loss against rounds and epsilon: .svg, .png or .pdf");
  const Option checkpoint =
      file_option("--checkpoint", files.checkpoint, "where the state of the run is kept, for --resume; " + by_seed);
  count_option(command, "--checkpoint-every", files.checkpoint_every, "rounds between two checkpoints")
      .needs(checkpoint);
  command
      .flag("--resume", files.resume,
            "take up the run that the checkpoint is of; with several --seeds, those without a checkpoint follow")
      .needs(checkpoint);
  command.flag("--json", options->json, "print one JSON object for each seed");
  command.action([options, command, &status, &page = program.page()] {
    require(1 <= options->threads && options->threads <= 4096, "--threads", options->threads, "in [1, 4096]");
    require(1 <= options->seeds && options->seeds <= 1000000, "--seeds", options->seeds, "in [1, 1000000]");
    require(1 <= options->files.checkpoint_every, "--checkpoint-every", options->files.checkpoint_every, "at least 1");
    if (options->files.optimum) require(0 < *options->files.optimum, "--optimum", *options->files.optimum, "positive");
    options->run.threads = static_cast<unsigned>(options->threads);
    options->inputs = options->data.files();
    options->inputs.emplace_back("--schedule", fl::file_of(options->run.schedule).value_or(""));
    for (const auto& [key, flag] : step_schedule_flags)
      if (const auto given = options->run.options.find(key); given != options->run.options.end())
        options->inputs.emplace_back(flag, fl::file_of(fl::text_of(given->second)).value_or(""));
    if (const Option config = command.find("--config").value(); config.is_given())
      options->inputs.emplace_back("--config", config.text());
    check_record_rate(command, options->run);
    options->files.ranks = launched_ranks();
    status = run(*options, page);
  });
}

}  // namespace dpbudget::tools
