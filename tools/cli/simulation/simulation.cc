#include "dpbudget/tools/cli/simulation/simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/cannot_write.h"
#include "dpbudget/accounting/base/growing_file.h"
#include "dpbudget/accounting/base/names.h"
#include "dpbudget/accounting/base/replace_file.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/spending.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/data/naive_predictor.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

volatile std::sig_atomic_t interrupts = 0;

extern "C" void note_interrupt(int /*signal*/) { interrupts = interrupts + 1; }

// While it lives, an interrupt is noted; the one after it does what it did before.
class InterruptNote {
 public:
  InterruptNote() {
    interrupts = 0;
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &on_interrupt_);
    sigaction(SIGTERM, &action, &on_termination_);
  }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
  ~InterruptNote() {
    sigaction(SIGINT, &on_interrupt_, nullptr);
    sigaction(SIGTERM, &on_termination_, nullptr);
  }

 private:
  struct sigaction on_interrupt_ = {};
  struct sigaction on_termination_ = {};
};

// Told on standard error, over itself, a few times a second.
class Progress {
 public:
  Progress(std::uint64_t total, bool is_shown) : total_(total), is_shown_(is_shown), began_(Clock::now()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void operator()(std::uint64_t round) {
    if (first_ == 0) first_ = round - 1;
    const auto now = Clock::now();
    if (!is_shown_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    const double rate = static_cast<double>(round - first_) / seconds;
    std::cerr << fmt::format("\rround {} of {}, {:.3g} a second, {} left   ", round, total_, rate,
                             duration(static_cast<double>(total_ - round) / rate))
              << std::flush;
    has_text_ = true;
  }

  void clear() {
    if (has_text_) std::cerr << "\r\033[K" << std::flush;
    has_text_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string duration(double seconds) {
    if (seconds < 60) return fmt::format("{:.0f} s", seconds);
    return seconds < 3600 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
  }

  std::uint64_t total_;
  bool is_shown_;
  Clock::time_point began_;
  Clock::time_point last_;
  std::uint64_t first_ = 0;
  bool has_text_ = false;
};

bool measures_accuracy(const std::string& model) { return model != "linear"; }

std::string loss_text(const std::string& model, double loss) {
  // Squared errors have the targets' unit, and any size.
  return measures_accuracy(model) ? fmt::format("{:.4f}", loss) : fmt::format("{:.5g}", loss);
}

std::string score_text(const std::string& model, double score) {
  return measures_accuracy(model) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.5g}", score);
}

// The first local step of a training round, of the clients that step least and most; nothing where the algorithm
// chooses its steps itself.
std::pair<std::optional<double>, std::optional<double>> first_steps(const fl::StepSizes& steps,
                                                                    const std::vector<std::uint64_t>& records,
                                                                    std::uint64_t round) {
  std::vector<double> of_clients;
  for (const std::uint64_t count : records)
    if (const std::vector<double> sizes = steps.local(round, count); !sizes.empty()) of_clients.push_back(sizes[0]);
  if (of_clients.empty()) return {};
  const auto [least, most] = std::ranges::minmax(of_clients);
  return {least, most};
}

template <class Value>
nlohmann::json json_of(const Value& value) {
  if constexpr (Named<Value>)
    return to_string(value);
  else if constexpr (std::same_as<Value, double>)
    return json_number(value);
  else if constexpr (requires { value.has_value(); })
    return value ? json_of(*value) : nlohmann::json();
  else
    return value;
}

// Every value of the run under its own name, as a ledger's header has it: a table's columns.
nlohmann::json parameters_json(const fl::SettledRun& run) {
  nlohmann::json json = nlohmann::json::object();
  const fl::RunRequest written = run.written();
  fl::visit_fields(written, [&](const auto& field, const auto& value) { json[field.key] = json_of(value); });
  for (const auto& [key, value] : written.options)
    json[key] = std::visit([](const auto& number) { return json_of(number); }, value);
  return json;
}

// Told of one run's evaluations, the first of which comes when all input has been accepted.
class Evaluations {
 public:
  // `opening` is printed before the table; `results` may name no file. The clients hold `records`.
  Evaluations(const SeedRun& seed_run, std::string opening, std::string results, bool is_quiet, Progress& progress,
              const std::vector<std::uint64_t>& records, std::uint64_t dimension)
      : seed_run_(seed_run),
        run_(seed_run.run),
        opening_(std::move(opening)),
        results_(std::move(results)),
        is_quiet_(is_quiet),
        progress_(progress),
        records_(records),
        everybody_(fl::distinct_sizes(run_, records, dimension)),
        steps_(run_, records.size()),
        price_(run_->delta),
        parameters_(parameters_json(run_)) {}

  void operator()(const fl::Metrics& metrics) {
    progress_.clear();
    if (!has_begun_) begin(metrics);
    has_begun_ = true;
    if (!is_quiet_) print(metrics);
    if (results_.path().empty()) return;
    nlohmann::json line = parameters_;
    line["round"] = metrics.round;
    line["train_loss"] = metrics.train_loss;
    line["test_score"] = metrics.test_score;
    add_steps(metrics, line);
    add_epsilons(metrics, line);
    if (const auto error = seed_run_.relative_rmse(metrics)) line["relative_rmse"] = *error;
    if (metrics.personal_score) line["personal_score"] = *metrics.personal_score;
    if (!results_.append(line.dump() + '\n'))
      throw CannotWrite(fmt::format("--results {} could not be written", results_.path().string()));
  }

 private:
  // Of the round that has ended, over all clients.
  void add_steps(const fl::Metrics& metrics, nlohmann::json& line) const {
    if (metrics.round <= run_.warm_start_rounds()) return;
    const auto [least, most] = first_steps(steps_, records_, metrics.round - run_.warm_start_rounds());
    if (!least) return;
    line["local_step"] = *least;
    if (*most > *least) line["local_step_most"] = *most;
  }

  // What is proven to be spent so far against each adversary; null where nothing is.
  void add_epsilons(const fl::Metrics& metrics, nlohmann::json& line) {
    if (!run_.algorithm().adds_noise()) return;
    for (const fl::Adversary adversary : fl::all_adversaries) {
      const double spent =
          metrics.round == 0 ? 0 : fl::worst_epsilon(run_, everybody_, adversary, metrics.round, price_);
      line[fmt::format("epsilon_{}", to_string(adversary))] =
          std::isfinite(spent) ? nlohmann::json(spent) : nlohmann::json();
    }
  }

  void begin(const fl::Metrics& metrics) {
    if (!results_.path().empty()) results_.begin();
    if (is_quiet_) return;
    const std::string_view score = measures_accuracy(run_->model) ? "test accuracy" : "test mean squared error";
    std::string heading = fmt::format("{:>7}  {:>10}  {:>{}}", "round", "train loss", score, score.size());
    if (seed_run_.relative_rmse(metrics)) heading += "  relative RMSE";
    if (metrics.personal_score) heading += "  of clients' own models";
    std::cout << opening_ << "\n" << heading << "\n" << std::string(heading.size(), '-') << "\n";
  }

  void print(const fl::Metrics& metrics) {
    std::cout << fmt::format("{:>7}  {:>10}  {:>{}}", metrics.round, loss_text(run_->model, metrics.train_loss),
                             score_text(run_->model, metrics.test_score), measures_accuracy(run_->model) ? 13 : 23);
    if (const auto error = seed_run_.relative_rmse(metrics)) std::cout << fmt::format("  {:>13.4f}", *error);
    if (metrics.personal_score) std::cout << fmt::format("  {:>22}", score_text(run_->model, *metrics.personal_score));
    std::cout << "\n" << std::flush;
  }

  const SeedRun& seed_run_;
  const fl::SettledRun& run_;
  std::string opening_;
  GrowingFile results_;
  bool is_quiet_;
  Progress& progress_;
  const std::vector<std::uint64_t>& records_;
  std::vector<fl::Sizes> everybody_;
  fl::StepSizes steps_;
  fl::Pricing price_;
  nlohmann::json parameters_;
  bool has_begun_ = false;
};

// The first local step of the first round and of the last, of the clients that step least and most.
std::string steps_of(const fl::SettledRun& run, const std::vector<std::uint64_t>& records) {
  const fl::StepSizes steps(run, records.size());
  const auto range = [&](std::uint64_t round) -> std::string {
    const auto [least, most] = first_steps(steps, records, round);
    if (!least) return {};
    return *least == *most ? fmt::format("{:.6g}", *least) : fmt::format("{:.6g} to {:.6g} by client", *least, *most);
  };
  std::string text = range(1);
  if (text.empty()) return {};
  if (!steps.rule().empty())
    text += fmt::format(" in round 1, {} in round {}; {}", range(run->rounds), run->rounds, steps.rule());
  return field("local step", text);
}

// What is to be run, with what its budgets have made of it.
std::string opening_of(const SeedRun& seed_run, const fl::RunRequest& asked, const std::string& data, bool several,
                       const std::vector<std::uint64_t>& records) {
  std::string text;
  if (several) text += field("seed", std::to_string(seed_run.seed));
  text += field("algorithm", asked.algorithm) + field("model", asked.model) + field("data", data) +
          field("ledger", seed_run.ledger);
  const fl::SettledRun& run = seed_run.run;
  if (run->rounds < asked.rounds)
    text += field("budget", fmt::format("pays for {} of {} rounds: the run stops there", run->rounds, asked.rounds));
  if (!asked.silo_epsilon.empty())
    text += field(
        "silo noise",
        fmt::format("from {:.6g} to {:.6g}, the least that keeps each of {} silos to its own budget",
                    std::ranges::min(run->silo_noise), std::ranges::max(run->silo_noise), run->silo_noise.size()));
  return text + steps_of(run, records);
}

// A seed without a checkpoint has not begun, or ended before the first was written: all that it left can be made again.
// One that finished left more than its ledger.
void refuse_finished(const std::string& ledger, const std::string& checkpoint, const fl::LedgerHeader& header) {
  std::optional<fl::Ledger> found;
  try {
    found = fl::read_ledger(ledger);
  } catch (const InvalidArgument&) {
    return;  // no ledger, or none that ended
  }
  if (found->end && fl::to_line(found->header) == fl::to_line(header))
    throw InvalidArgument(
        fmt::format("checkpoint {} cannot be read, but ledger {} is of its run, and finished", checkpoint, ledger));
}

// Its parameters in the model's own order, each to the last bit.
void save_model(const SeedRun& seed_run, const std::string& file) {
  const fl::Vector& parameters = seed_run.result.parameters;
  const nlohmann::json json = {{"model", seed_run.run->model},
                               {"algorithm", seed_run.run->algorithm},
                               {"seed", seed_run.seed},
                               {"rounds", seed_run.result.rounds},
                               {"parameters", std::vector<double>(parameters.begin(), parameters.end())}};
  if (!replace_file(file, {json.dump(), "\n"}))
    throw CannotWrite(fmt::format("--save-model {} could not be written", file));
}

struct Moments {
  double mean;
  double deviation;
};

// Of at least one value; the deviation of a sample.
Moments moments(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

}  // namespace

std::string file_for_seed(const std::string& name, std::uint64_t seed, bool several) {
  if (!several || name.empty()) return name;
  const std::filesystem::path path(name);
  std::filesystem::path numbered = path;
  numbered.replace_filename(fmt::format("{}.seed-{}{}", path.stem().string(), seed, path.extension().string()));
  return numbered.string();
}

bool was_interrupted() { return interrupts > 0; }

void check_resumable(std::uint64_t first_seed, std::uint64_t seeds, const SimulationFiles& files) {
  std::optional<std::string> missing;
  bool has_begun = false;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const std::string checkpoint = file_for_seed(files.checkpoint, first_seed + i, seeds > 1);
    if (!std::filesystem::exists(checkpoint)) {
      if (!missing) missing = checkpoint;
    } else if (missing) {
      throw InvalidArgument(
          fmt::format("checkpoint {} cannot be read, but that of a later seed, {}, is there", *missing, checkpoint));
    } else {
      has_begun = true;
    }
  }
  if (!has_begun) throw InvalidArgument(fmt::format("checkpoint {} cannot be read", missing.value()));
}

std::optional<double> SeedRun::relative_rmse(const fl::Metrics& metrics) const {
  return naive_error ? fl::relative_rmse(metrics.test_score, *naive_error) : std::nullopt;
}

SeedRun simulate_seed(const fl::RunRequest& request, const DataOptions& data_options, const SimulationFiles& files,
                      bool several, bool is_quiet) {
  const fl::FederatedData data = data_options.load(request.seed);
  fl::check(fl::settle(request), data);
  const std::vector<std::uint64_t> records = fl::records_of(data);
  const auto dimension = static_cast<std::uint64_t>(fl::make_model(request.model, data.train)->dimension());
  SeedRun seed_run{request.seed,
                   file_for_seed(files.ledger, request.seed, several),
                   fl::settle(request, records, dimension),
                   {},
                   {}};
  const fl::SettledRun& run = seed_run.run;
  if (!data.test.targets.empty()) seed_run.naive_error = fl::naive_squared_error(data);
  fl::LedgerWriter ledger(seed_run.ledger);
  Progress progress(run.released_rounds(), isatty(STDERR_FILENO) != 0);
  const InterruptNote note;
  fl::Surroundings around;
  around.ledger = &ledger;
  Evaluations evaluations(seed_run, opening_of(seed_run, request, data.description, several, records),
                          file_for_seed(files.results, request.seed, several), is_quiet, progress, records, dimension);
  around.watch = std::ref(evaluations);
  around.progress = [&progress](std::uint64_t round) { progress(round); };
  around.checkpoint = file_for_seed(files.checkpoint, request.seed, several);
  around.checkpoint_every = files.checkpoint_every;
  around.resume = files.resume && (!several || std::filesystem::exists(around.checkpoint));
  if (files.resume && !around.resume)
    refuse_finished(seed_run.ledger, around.checkpoint.string(), fl::make_header(seed_run.run, data, dimension));
  around.interrupted = was_interrupted;
  seed_run.result = fl::simulate(run, data, around);
  if (!files.model.empty()) save_model(seed_run, file_for_seed(files.model, request.seed, several));
  if (!files.plot.empty() && run.algorithm().adds_noise()) {
    std::vector<std::uint64_t> rounds;
    for (const fl::Metrics& metrics : seed_run.result.history) rounds.push_back(metrics.round);
    seed_run.spent = fl::spending(run, fl::distinct_sizes(run, records, dimension), rounds);
  }
  return seed_run;
}

double SeedRun::score_of_last_tenth() const {
  const double first = 0.9 * static_cast<double>(result.last.round);
  double sum = 0;
  double count = 0;
  for (const fl::Metrics& metrics : result.history) {
    if (static_cast<double>(metrics.round) < first) continue;
    sum += metrics.test_score;
    ++count;
  }
  return sum / count;
}

std::string summary_table(const std::vector<SeedRun>& runs) {
  const std::string& model = runs.front().run->model;
  std::vector<Row> rows{{"", "mean", "standard deviation"}};
  const auto add = [&](const std::string& name, const auto& value, const auto& text) {
    std::vector<double> values;
    for (const SeedRun& run : runs) values.push_back(value(run));
    const Moments found = moments(values);
    rows.push_back({name, text(found.mean), text(found.deviation)});
  };
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  const auto score = [&](double value) { return score_text(model, value); };
  add("train loss", [](const SeedRun& run) { return run.result.last.train_loss; }, number);
  add(
      measures_accuracy(model) ? "test accuracy" : "test mean squared error",
      [](const SeedRun& run) { return run.result.last.test_score; }, score);
  add("  of the last tenth", [](const SeedRun& run) { return run.score_of_last_tenth(); }, score);
  if (std::ranges::all_of(runs, [](const SeedRun& run) { return run.relative_rmse(run.result.last).has_value(); }))
    add("relative RMSE", [](const SeedRun& run) { return run.relative_rmse(run.result.last).value(); }, number);
  if (runs.front().result.last.personal_score)
    add("clients' own models", [](const SeedRun& run) { return run.result.last.personal_score.value_or(0); }, score);
  return table(rows, {1, 2});
}

std::string plot_runs(const std::vector<SeedRun>& runs, const std::string& file) {
  const bool is_private = !runs.front().spent.empty();
  const bool is_proven =
      is_private && std::ranges::all_of(runs, [](const SeedRun& run) { return std::isfinite(run.spent.back()); });
  // A constant test target leaves nothing to be relative to; the errors themselves have the targets' unit squared.
  const bool is_relative =
      std::ranges::all_of(runs, [](const SeedRun& run) { return run.relative_rmse(run.result.last).has_value(); });
  const std::string score = measures_accuracy(runs.front().run->model) ? "test accuracy"
                            : is_relative                              ? "relative RMSE on the test records"
                                                                       : "test mean squared error";
  std::vector<Plot> panels;
  const auto add = [&](const std::string& what, bool against_epsilon, const auto& value) {
    Plot plot;
    plot.title = fmt::format("{}: {}", runs.front().run->algorithm, what);
    plot.x_label = against_epsilon ? fmt::format("epsilon spent at delta {} (proven, {})", runs.front().run->delta,
                                                 to_string(runs.front().run->budget_for))
                                   : "rounds";
    plot.y_label = what;
    for (const SeedRun& run : runs) {
      Line line;
      line.title = fmt::format("seed {}", run.seed);
      for (std::size_t i = 0; i < run.result.history.size(); ++i) {
        line.x.push_back(against_epsilon ? run.spent[i] : static_cast<double>(run.result.history[i].round));
        line.y.push_back(value(run, run.result.history[i]));
      }
      plot.lines.push_back(std::move(line));
    }
    panels.push_back(std::move(plot));
  };
  for (const bool against_epsilon : {false, true}) {
    if (against_epsilon && !is_proven) continue;
    add(score, against_epsilon, [&](const SeedRun& run, const fl::Metrics& metrics) {
      return is_relative ? run.relative_rmse(metrics).value() : metrics.test_score;
    });
    add("training loss", against_epsilon,
        [](const SeedRun& /*run*/, const fl::Metrics& metrics) { return metrics.train_loss; });
  }
  write_plots(panels, file);
  if (is_proven || !is_private) return file;
  return fmt::format("{}, against rounds only: nothing is proven against {}", file,
                     to_string(runs.front().run->budget_for));
}

}  // namespace dpbudget::tools
