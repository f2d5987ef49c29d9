#include "dpbudget/tools/cli/simulation/best_trial.h"

#include <cmath>
#include <utility>

#include "dpbudget/mechanisms/number_of_trials.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"

namespace dpbudget::tools {

using mechanisms::Purpose;
using mechanisms::Stream;

BestTrial best_trial(const std::vector<Combination>& combinations, const fl::FederatedData& data, const Trials& trials,
                     bool larger_is_better) {
  for (const Combination& combination : combinations) TuningRun(combination.request, data, combination.request.seed);
  const std::uint64_t seed = combinations.front().request.seed;
  Stream number({seed, Purpose::trials, 0, 0, 0});
  const std::uint64_t count = mechanisms::number_of_trials(trials, number);
  const InterruptNote note;
  const TemporaryLedger temporary;
  BestTrial best;
  for (std::uint64_t trial = 1; trial <= count; ++trial) {
    // Nothing of it tells which trial it was.
    Stream draws({seed, Purpose::trials, trial, 0, 0});
    const std::size_t combination = draws.below(combinations.size());
    const TuningRun run(combinations[combination].request, data, draws() >> 11);
    TuningResult trained = run.train(temporary.path(), {}, false);
    best.is_complete = trained.is_complete;
    if (!best.is_complete) return best;
    best.is_verified = best.is_verified && trained.is_verified;
    if (!trained.score || !std::isfinite(*trained.score)) continue;
    if (best.chosen && !(larger_is_better ? *trained.score > best.chosen->score : *trained.score < best.chosen->score))
      continue;
    best.chosen = {combination, *trained.score, std::move(trained.parameters), run.settled_run().released_rounds()};
  }
  return best;
}

std::vector<fl::Released> planned_of_each(const std::vector<Combination>& combinations, const fl::FederatedData& data,
                                          const std::vector<std::uint64_t>& kinds) {
  std::vector<fl::Released> released;
  for (const Combination& combination : combinations)
    released.push_back(TuningRun(combination.request, data, combination.request.seed).planned(kinds));
  return released;
}

std::optional<fl::SettledRun> filtered_one(const std::vector<Combination>& combinations,
                                           const fl::FederatedData& data) {
  for (const Combination& combination : combinations) {
    const TuningRun run(combination.request, data, combination.request.seed);
    if (run.settled_run().filter() != nullptr) return run.settled_run();
  }
  return std::nullopt;
}

}  // namespace dpbudget::tools
