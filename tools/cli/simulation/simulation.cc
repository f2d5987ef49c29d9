#include "dpbudget/tools/cli/simulation/simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/spending.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/data/naive_predictor.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/simulation/evaluations.h"
#include "dpbudget/tools/cli/simulation/first_steps.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/optimality.h"
#include "dpbudget/tools/cli/simulation/progress.h"
#include "dpbudget/tools/cli/simulation/save_model.h"

namespace dpbudget::tools {
namespace {

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
    text += field("budget",
                  fmt::format("pays for {} of {} rounds{}: the run stops there{}", run->rounds, asked.rounds,
                              run.validation() ? " with the noise of the first" : "",
                              run.validation() ? ", or before, where its filter lets no further one through" : ""));
  if (asked.asks_noise)
    text += field("noise", fmt::format("{}, the least found that is proven to keep all rounds to epsilon {} against {}",
                                       rounded_up(run->noise_multiplier), *run->epsilon, to_string(run->budget_for)));
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
  bool is_finished = false;
  try {
    fl::LedgerReader reader(ledger);
    if (fl::to_line(reader.header()) != fl::to_line(header)) return;
    reader.rest(
        [&](const fl::LedgerPiece& piece) { return [&, has_end = piece.end.has_value()] { is_finished = has_end; }; });
  } catch (const InvalidArgument&) {
    return;  // no ledger
  }
  if (is_finished)
    throw InvalidArgument(
        fmt::format("checkpoint {} cannot be read, but ledger {} is of its run, and finished", checkpoint, ledger));
}

}  // namespace

std::string file_for_seed(const std::string& name, std::uint64_t seed, bool several) {
  if (!several || name.empty()) return name;
  const std::filesystem::path path(name);
  std::filesystem::path numbered = path;
  numbered.replace_filename(fmt::format("{}.seed-{}{}", path.stem().string(), seed, path.extension().string()));
  return numbered.string();
}

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

SeededRun seeded_run(const fl::RunRequest& request, const DataOptions& data) {
  std::unique_ptr<const fl::ClientSource> clients = data.clients(request.seed);
  fl::check(fl::settle(fl::with_some_noise(request)), *clients);
  const auto dimension =
      static_cast<std::uint64_t>(fl::make_model(request.model, clients->form(), request.precision)->dimension());
  fl::SettledRun run = fl::settle(request, clients->train_sizes(), dimension);
  return {std::move(run), std::move(clients)};
}

SeedRun simulate_seed(const fl::RunRequest& request, const DataOptions& data_options, const SimulationFiles& files,
                      bool several, Seen seen) {
  const SharedRun shared(files.ranks, request.seed);
  const auto [settled, clients] = seeded_run(request, data_options);
  const std::vector<std::uint64_t>& records = clients->train_sizes();
  const std::unique_ptr<fl::Model> model = fl::make_model(request.model, clients->form());
  const auto dimension = static_cast<std::uint64_t>(model->dimension());
  SeedRun seed_run{request.seed,
                   file_for_seed(files.ledger, request.seed, several),
                   settled,
                   records,
                   dimension,
                   clients->description(),
                   clients->fingerprint()};
  const fl::SettledRun& run = seed_run.run;
  if (const fl::FederatedData* data = clients->held(); data != nullptr && !data->test.targets.empty())
    seed_run.naive_error = fl::naive_squared_error(*data);
  const auto ledger = std::make_shared<fl::LedgerWriter>(seed_run.ledger);
  seed_run.writer = ledger;
  Progress progress("round", run.released_rounds(), seen != Seen::nothing && isatty(STDERR_FILENO) != 0);
  const InterruptNote note;
  fl::Surroundings around;
  around.ledger = ledger.get();
  std::vector<std::string> measured;
  std::optional<fl::FederatedData> loaded;  // what measures need at once, where nobody holds it
  if (files.optimum) {
    if (clients->held() == nullptr) loaded = data_options.load(request.seed);
    around.measure = optimality(run, *model, loaded ? *loaded : *clients->held(), *files.optimum);
    measured = optimality_names();
  }
  Evaluations evaluations(seed_run, opening_of(seed_run, request, clients->description(), several, records),
                          file_for_seed(files.results, request.seed, several), std::move(measured), seen, progress);
  around.watch = std::ref(evaluations);
  around.progress = [&progress](std::uint64_t round) { progress(round); };
  around.checkpoint = file_for_seed(files.checkpoint, request.seed, several);
  around.checkpoint_every = files.checkpoint_every;
  around.resume = files.resume && (!several || std::filesystem::exists(around.checkpoint));
  if (files.resume && !around.resume)
    refuse_finished(seed_run.ledger, around.checkpoint.string(), fl::make_header(seed_run.run, *clients, dimension));
  around.interrupted = was_interrupted;
  around.ranks = files.ranks;
  seed_run.result = fl::simulate(run, *clients, around);
  if (!files.model.empty())
    save_model(run, seed_run.result.parameters, {{"seed", seed_run.seed}, {"rounds", seed_run.result.rounds}},
               file_for_seed(files.model, request.seed, several));
  if (!files.plot.empty() && run.algorithm().adds_noise()) {
    std::vector<std::uint64_t> rounds;
    for (const fl::Metrics& metrics : seed_run.result.history) rounds.push_back(metrics.round);
    seed_run.spent = fl::spending(run, fl::distinct_sizes(run, records, dimension), rounds);
  }
  return seed_run;
}

}  // namespace dpbudget::tools
