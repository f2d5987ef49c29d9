#include "dpbudget/tools/cli/simulation/tuning.h"

#include <unistd.h>

#include <filesystem>

#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/simulation.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"
#include "dpbudget/tools/cli/simulation/tuning_run.h"

namespace dpbudget::tools {

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
    return TuningRun(request, divided[fold], seed_of_run(request.seed, folds.count(), combination, fold));
  };
  for (std::size_t i = 0; i < combinations.size(); ++i)
    for (const std::uint64_t fold : {std::uint64_t{0}, folds.count() - 1}) runner(i, fold);
  const InterruptNote note;
  const TemporaryLedger temporary;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    fl::FoldScores& scores = tuning.scores.emplace_back();
    for (std::uint64_t fold = 0; fold < folds.count(); ++fold) {
      TuningRun run = runner(i, fold);
      const std::uint64_t seed = run.settled_run()->seed;
      const std::filesystem::path file =
          ledger.empty() ? temporary.path() : std::filesystem::path(file_for_seed(ledger, seed, true));
      const TuningResult trained = run.train(file, kinds, isatty(STDERR_FILENO) != 0);
      tuning.is_complete = trained.is_complete;
      if (!tuning.is_complete) return tuning;
      const FoldResult result{
          i, fold, seed, run.settled_run().released_rounds(), trained.train_loss, trained.score, trained.is_verified};
      tuning.runs.push_back({fold, trained.released});
      tuning.is_verified = tuning.is_verified && result.is_verified;
      scores.push_back(result.score);
      done(result);
    }
  }
  return tuning;
}

}  // namespace dpbudget::tools
