#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/fl/ledger.h"
#include "dpbudget/fl/runner.h"
#include "dpbudget/fl/verify.h"
#include "dpbudget/tools/commands/commands.h"
#include "dpbudget/tools/fl_options.h"
#include "dpbudget/tools/number.h"
#include "dpbudget/tools/options.h"
#include "dpbudget/tools/report_output.h"
#include "dpbudget/tools/table.h"

namespace dpbudget::tools {
namespace {

struct Options {
  fl::Run run;
  DataOptions data;
  Budget budget;
  std::string ledger = "dpbudget.ledger.jsonl";
  std::uint64_t threads = 0;
  bool json = false;
};

void train(const Options& options, fl::LedgerWriter& ledger, fl::Result& result) {
  const fl::FederatedData data = options.data.load(options.run.seed);
  const std::uint64_t total = fl::released_rounds(fl::completed(options.run));
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  if (!options.json)
    std::cout << field("algorithm", options.run.algorithm) << field("data", data.description)
              << field("ledger", options.ledger) << "\n"
              << fmt::format("{:>7}  {:>10}  {:>13}\n{}\n", "round", "train loss", "test accuracy",
                             std::string(34, '-'))
              << std::flush;
  result = fl::simulate(options.run, data, &ledger, [&](const fl::Metrics& metrics) {
    if (!options.json)
      std::cout << fmt::format("{:>7}  {:>10.4f}  {:>11.2f} %\n", metrics.round, metrics.train_loss,
                               100 * metrics.test_accuracy)
                << std::flush;
    else if (on_terminal)
      std::cerr << fmt::format("\rround {} of {}", metrics.round, total) << std::flush;
  });
  if (options.json && on_terminal) std::cerr << "\n";
}

int run(const Options& options) {
  if (options.budget.epsilon) ranges::epsilon(*options.budget.epsilon);
  fl::check(fl::completed(options.run));
  fl::LedgerWriter writer(options.ledger);
  fl::Result result;
  train(options, writer, result);

  const fl::Report report = fl::verify(fl::read_ledger(options.ledger), options.run.delta);
  if (options.json) {
    nlohmann::json history = nlohmann::json::array();
    for (const fl::Metrics& metrics : result.history)
      history.push_back(
          {{"round", metrics.round}, {"train_loss", metrics.train_loss}, {"test_accuracy", metrics.test_accuracy}});
    nlohmann::json json = report_json(report, options.budget);
    json["ledger"] = options.ledger;
    json["history"] = history;
    json["test_accuracy"] = result.last.test_accuracy;
    json["train_loss"] = result.last.train_loss;
    std::cout << json << "\n";
  } else {
    std::cout << "\n"
              << field("accuracy", fmt::format("{:.2f} % on the test records", 100 * result.last.test_accuracy)) << "\n"
              << report_text(report, options.budget);
  }
  return is_inside(report, options.budget) ? inside_budget : over_budget;
}

}  // namespace

void add_simulate(CLI::App& program, int& status) {
  auto options = std::make_shared<Options>();
  options->threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App* command =
      program.add_subcommand("simulate", "federated training whose executed noise is written down and accounted");
  command->footer(
      "Examples:\n"
      "  dpbudget simulate --algorithm dp-scaffold --data synthetic:1,1 --users 20 --records 500 --rounds 30 \\\n"
      "      --local-steps 10 --user-rate 0.2 --noise 10 --clip 0.5 --ledger run.ledger.jsonl\n"
      "  dpbudget simulate --algorithm fedavg --data idx:train-images.gz,train-labels.gz --users 10 --rounds 20 \\\n"
      "      --local-steps 5 --user-rate 1\n"
      "The noise is drawn in double precision: it is for studying budgets, not for publishing sensitive data.\n"
      "Exit status 1 when --epsilon is exceeded.");
  fl::Run& run_options = options->run;
  command
      ->add_option("--algorithm", run_options.algorithm,
                   "fedavg, fedsgd, scaffold or scaffold-warm, or one of these with dp- in front")
      ->type_name("NAME")
      ->capture_default_str();
  options->data.add_to(*command);
  count_option(*command, "--rounds", run_options.rounds, "T: rounds that train the model");
  privacy_options(*command, run_options);
  number_option(*command, "--clip", run_options.clip_norm, "C: L2 norm to which a record's gradient is clipped");
  number_option(*command, "--step", run_options.initial_step, "eta_0: the local step size is eta_0 / (s K)");
  number_option(*command, "--server-step", run_options.server_step, "eta_g: step size of the server");
  number_option(*command, "--regularisation", run_options.regularisation, "lambda of (lambda / 2) |x|^2");
  count_option(*command, "--seed", run_options.seed, "seed of data, sampling and noise");
  count_option(*command, "--threads", options->threads,
               "threads, by default one per core; they change no bit of the result");
  count_option(*command, "--evaluate-every", run_options.evaluate_every, "rounds between two evaluations");
  command->add_option("--ledger", options->ledger, "where the ledger goes; an existing file is replaced")
      ->type_name("FILE")
      ->capture_default_str();
  number_option(*command, "--epsilon", options->budget.epsilon, "budget that the run may spend against --adversary");
  adversary_option(*command, options->budget.adversary, "whom --epsilon is for");
  command->add_flag("--json", options->json, "print one JSON object at the end");
  command->callback([options, &status] {
    require(1 <= options->threads && options->threads <= 4096, "--threads", options->threads, "in [1, 4096]");
    options->run.threads = static_cast<unsigned>(options->threads);
    options->run = with_default_local_steps(options->run);
    status = run(*options);
  });
}

}  // namespace dpbudget::tools
