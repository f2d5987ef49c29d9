#include "dpbudget/fl/simulate/client_side.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/release.h"

namespace dpbudget::fl {
namespace {

// What is not finite has no place in a ledger.
bool can_be_recorded(const Participation& participation) {
  return std::ranges::all_of(participation.releases, [](const ReleaseRun& run) {
    return std::isfinite(run.noise_sum_of_squares) && std::isfinite(run.count_noise_sum_of_squares);
  });
}

}  // namespace

ClientSide::ClientSide(const SettledRun& run, const ClientSource& clients, const Model& model, Fault fault, Share share,
                       std::map<std::uint64_t, ClientState>& kept)
    : run_(run.validation() ? run.following({}) : run),
      clients_(clients),
      fault_(fault),
      share_(share),
      steps_(run_, clients.train_sizes().size()),
      algorithm_(catalogued(run->algorithm).algorithm),
      model_(model),
      records_(clients.train_sizes()),
      population_(run_, records_),
      kept_(kept),
      workers_(model, clients.held() != nullptr ? &clients.held()->train : nullptr, run->threads),
      evaluation_(run_, clients, model, workers_) {}

Round ClientSide::round(std::uint64_t number, double clip_norm) const {
  const std::uint64_t warm = run_.warm_start_rounds();
  const Phase phase = number <= warm ? Phase::warm_start : Phase::training;
  const BatchRecipe first = recipe_of(run_, population_[0], number, clip_norm);
  const Round round{run_,
                    phase,
                    phase == Phase::training ? number - warm : number,
                    0,
                    static_cast<std::uint64_t>(model_.dimension()),
                    first.sample,
                    release_noise_std(first),
                    {},
                    phase == Phase::training ? steps_.server_factor(number - warm) : 1,
                    records_.size()};
  return round_of(round, 0);
}

// The round as one participant is to see it. A warm start takes no step.
Round ClientSide::round_of(const Round& round, std::uint64_t client) const {
  Round own = round;
  own.step_sizes = round.phase == Phase::training ? steps_.local(round.number, records_[client]) : std::vector{0.0};
  own.step_size = own.step_sizes.empty() ? 0 : own.step_sizes.front();
  return own;
}

void ClientSide::train(const Call& call, Trained& trained) {
  const Round round = this->round(call.number, call.clip_norm);
  std::vector<std::size_t> slots;
  std::vector<ClientState*> states;
  for (std::size_t slot = 0; slot < call.clients.size(); ++slot) {
    if (!share_.has(call.clients[slot])) continue;
    slots.push_back(slot);
    states.push_back(&kept_[call.clients[slot]]);
  }
  workers_.for_each(slots.size(), [&](std::size_t i, Worker& worker) {
    const std::size_t slot = slots[i];
    Update& update = trained.updates[slot];
    std::string& failure = trained.failures[slot];
    try {
      trained.participations[slot] = train_one(call, round, call.clients[slot], *states[i], worker, update);
    } catch (const InvalidArgument& error) {
      failure = error.what();
    }
    if (failure.empty() && !(update.model.allFinite() && update.control.allFinite()))
      failure = "the update is not finite";
    if (failure.empty() && !can_be_recorded(trained.participations[slot]))
      failure = "the sum of squares of its noise is not finite";
  });
}

Participation ClientSide::train_one(const Call& call, const Round& round, std::uint64_t client, ClientState& state,
                                    Worker& worker, Update& update) {
  const Sizes sizes = population_[client];
  BatchRecipe recipe = recipe_of(run_, sizes, call.number, call.clip_norm);
  if (fault_ == Fault::shifted_schedule) recipe.noise_multipliers = step_noises(run_, sizes, call.number + 1);
  const ClientRecords records = clients_.of(client, false, worker.records);
  BatchRelease release({model_, *records.train, records.rows, run_->seed, call.number, client}, recipe, worker.release,
                       fault_);
  Round own = round_of(round, client);
  algorithm_.client(own, call.server, state, release, update);
  return {call.number, client, release.releases(), std::move(own.step_sizes)};
}

}  // namespace dpbudget::fl
