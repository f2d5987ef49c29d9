#include "dpbudget/tools/cli/simulation/tuning.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/progress.h"
#include "dpbudget/tools/cli/simulation/simulation.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"

namespace dpbudget::tools {
namespace {

std::uint64_t dimension_of(const std::string& model, const fl::FederatedData& data) {
  return static_cast<std::uint64_t>(fl::make_model(model, data.train)->dimension());
}

// One run, and what it released about each kind of client.
class FoldRunner {
 public:
  FoldRunner(const Combination& combination, const fl::FederatedData& data, std::uint64_t seed)
      : clients_(data),
        dimension_(dimension_of(combination.request.model, data)),
        run_(settled(combination.request, seed)) {}

  const fl::SettledRun& settled_run() const { return run_; }

  // Whether it came to its end without an interrupt.
  bool train(const std::filesystem::path& ledger, FoldResult& result) {
    fl::LedgerWriter writer(ledger);
    Progress progress("round", run_.released_rounds(), isatty(STDERR_FILENO) != 0);
    fl::Surroundings around;
    around.ledger = &writer;
    around.progress = [&progress](std::uint64_t round) { progress(round); };
    around.interrupted = was_interrupted;
    try {
      const fl::Result found = fl::simulate(run_, clients_, around);
      if (was_interrupted()) return false;
      result.train_loss = found.last.train_loss;
      result.score = found.last.personal_score.value_or(found.last.test_score);
    } catch (const fl::Diverged&) {
    }
    return true;
  }

  fl::Released released(const std::filesystem::path& file, const std::vector<std::uint64_t>& kinds,
                        FoldResult& result) const {
    const fl::Ledger ledger = fl::read_ledger(file);
    // Against what was planned alone: what it cost is worked out of all runs together.
    result.is_verified = std::ranges::all_of(fl::check_ledger(ledger), &fl::Check::passed);
    fl::Released planned = fl::planned_releases(run_, clients_.train_sizes(), dimension_, kinds);
    if (!result.score) return planned;  // it released less
    fl::Execution execution(ledger);
    const fl::Population population(run_, clients_.train_sizes(), dimension_);
    for (auto& [adversary, events] : planned)
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        auto plan = run_.algorithm().adds_noise() ? execution.plan(population[kinds[i]], adversary) : std::nullopt;
        events[i] = plan ? std::optional(std::move(plan->event)) : std::nullopt;
      }
    return planned;
  }

 private:
  fl::SettledRun settled(fl::RunRequest request, std::uint64_t seed) const {
    request.seed = seed;
    return fl::settle(request, clients_.train_sizes(), dimension_);
  }

  fl::HeldClients clients_;
  std::uint64_t dimension_;
  fl::SettledRun run_;
};

}  // namespace

// fl/tuning/proofs.md, 1.1
std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t folds, std::size_t combination, std::uint64_t fold) {
  return seed + 1 + combination * folds + fold;
}

Tuning tune(const std::vector<Combination>& combinations, const fl::Folds& folds,
            const std::vector<std::uint64_t>& kinds, const std::string& ledger,
            const std::function<void(const FoldResult&)>& done) {
  Tuning tuning;
  std::vector<fl::FederatedData> divided;
  for (std::uint64_t fold = 0; fold < folds.count(); ++fold) divided.push_back(folds.without(fold));
  const auto runner = [&](std::size_t combination, std::uint64_t fold) {
    const fl::RunRequest& request = combinations[combination].request;
    return FoldRunner(combinations[combination], divided[fold],
                      seed_of_run(request.seed, folds.count(), combination, fold));
  };
  for (std::size_t i = 0; i < combinations.size(); ++i)
    for (const std::uint64_t fold : {std::uint64_t{0}, folds.count() - 1}) runner(i, fold);
  const InterruptNote note;
  const TemporaryLedger temporary;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    fl::FoldScores& scores = tuning.scores.emplace_back();
    for (std::uint64_t fold = 0; fold < folds.count(); ++fold) {
      FoldRunner run = runner(i, fold);
      const std::uint64_t seed = run.settled_run()->seed;
      const std::filesystem::path file =
          ledger.empty() ? temporary.path() : std::filesystem::path(file_for_seed(ledger, seed, true));
      FoldResult result{i, fold, seed, run.settled_run().released_rounds(), {}, {}, true};
      tuning.is_complete = run.train(file, result);
      if (!tuning.is_complete) return tuning;
      tuning.runs.push_back({fold, run.released(file, kinds, result)});
      tuning.is_verified = tuning.is_verified && result.is_verified;
      scores.push_back(result.score);
      done(result);
    }
  }
  return tuning;
}

}  // namespace dpbudget::tools
