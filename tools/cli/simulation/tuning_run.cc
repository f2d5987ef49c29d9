#include "dpbudget/tools/cli/simulation/tuning_run.h"

#include <algorithm>
#include <utility>

#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/verify/checks.h"
#include "dpbudget/fl/verify/executed.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/progress.h"

namespace dpbudget::tools {
namespace {

std::uint64_t dimension_of(const std::string& model, const fl::FederatedData& data) {
  return static_cast<std::uint64_t>(fl::make_model(model, data.train)->dimension());
}

fl::RunRequest with_seed(fl::RunRequest request, std::uint64_t seed) {
  request.seed = seed;
  return request;
}

}  // namespace

TuningRun::TuningRun(const fl::RunRequest& request, const fl::FederatedData& data, std::uint64_t seed)
    : clients_(data),
      dimension_(dimension_of(request.model, data)),
      run_(fl::settle(with_seed(request, seed), clients_.train_sizes(), dimension_)) {}

fl::Released TuningRun::planned(const std::vector<std::uint64_t>& kinds) const {
  return fl::planned_releases(run_, clients_.train_sizes(), dimension_, kinds);
}

TuningResult TuningRun::train(const std::filesystem::path& ledger, const std::vector<std::uint64_t>& kinds,
                              bool is_shown) const {
  TuningResult result = train(ledger, is_shown);
  if (result.is_complete) check(ledger, kinds, result);
  return result;
}

TuningResult TuningRun::train(const std::filesystem::path& ledger, bool is_shown) const {
  fl::LedgerWriter writer(ledger);
  Progress progress("round", run_.released_rounds(), is_shown);
  fl::Surroundings around;
  around.ledger = &writer;
  around.progress = [&progress](std::uint64_t round) { progress(round); };
  around.interrupted = was_interrupted;
  TuningResult result;
  try {
    fl::Result found = fl::simulate(run_, clients_, around);
    result.is_complete = !was_interrupted();
    if (!result.is_complete) return result;
    result.train_loss = found.last.train_loss;
    result.score = found.last.personal_score.value_or(found.last.test_score);
    result.parameters = std::move(found.parameters);
  } catch (const fl::Diverged&) {
  }
  return result;
}

void TuningRun::check(const std::filesystem::path& file, const std::vector<std::uint64_t>& kinds,
                      TuningResult& result) const {
  const fl::Ledger ledger = fl::read_ledger(file);
  // Against what was planned alone: what it cost is worked out of all runs together.
  result.is_verified = std::ranges::all_of(fl::check_ledger(ledger), &fl::Check::passed);
  result.released = planned(kinds);
  if (!result.score) return;  // it released less
  fl::Execution execution(ledger);
  const fl::Population population(run_, clients_.train_sizes(), dimension_);
  for (auto& [adversary, events] : result.released)
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      auto plan = run_.algorithm().adds_noise() ? execution.plan(population[kinds[i]], adversary) : std::nullopt;
      events[i] = plan ? std::optional(std::move(plan->event)) : std::nullopt;
    }
}

}  // namespace dpbudget::tools
