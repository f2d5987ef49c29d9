#include "dpbudget/fl/simulate/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/checkpoint.h"
#include "dpbudget/fl/simulate/evaluation.h"
#include "dpbudget/fl/simulate/release.h"
#include "dpbudget/fl/simulate/workers.h"

namespace dpbudget::fl {
namespace {

// What is not finite has no place in a ledger.
bool can_be_recorded(const Participation& participation) {
  return std::ranges::all_of(participation.releases, [](const ReleaseRun& run) {
    return std::isfinite(run.noise_sum_of_squares) && std::isfinite(run.count_noise_sum_of_squares);
  });
}

class Simulation {
 public:
  Simulation(const SettledRun& run, const ClientSource& clients, const Model& model, Fault fault)
      : run_(run.validation() ? run.following({}) : run),
        clients_(clients),
        fault_(fault),
        steps_(run_, clients.train_sizes().size()),
        algorithm_(catalogued(run->algorithm).algorithm),
        model_(model),
        records_(clients.train_sizes()),
        population_(run_, records_),
        workers_(model, run->threads),
        evaluation_(run_, clients, model, workers_) {
    shares_ = shares_of(run, records_);
    state_.clip_norm = run->clip_norm;
    state_.server.model = model_.initial(run->seed);
    algorithm_.prepare(run, state_.server);
  }

  // Takes what a round needs of memory, so that what there is not enough of shows before anything is written.
  void reserve() {
    const Eigen::Index dimension = model_.dimension();
    updates_.resize(std::max<std::size_t>(1, drawn(run_->user_rate, records_.size())));
    for (Update& update : updates_) {
      update.model.resize(dimension);
      update.control.resize(state_.server.control.size());
    }
    const auto threads = static_cast<Eigen::Index>(std::min<std::size_t>(run_->threads, updates_.size()));
    const Vector of_releases(2 * threads * dimension);
  }

  const SettledRun& run() const { return run_; }  // with its noise as far as it is known
  const State& state() const { return state_; }
  void take_up(State state) {
    state_ = std::move(state);
    follow_errors();
  }
  const Vector& output() const { return algorithm_.output(state_.server); }

  // Runs the next round in full; nothing reaches the ledger unless every participant finished.
  void next_round(LedgerWriter* ledger, const std::function<void(const Seen&)>& look) {
    const std::uint64_t number = state_.round + 1;
    const std::optional<double> followed = followed_error();
    const std::uint64_t warm = run_.warm_start_rounds();
    const Phase phase = number <= warm ? Phase::warm_start : Phase::training;
    const BatchRecipe first = recipe_of(run_, population_[0], number, state_.clip_norm);
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
    const Participants drawn = draw_participants(run_, records_, number);
    const std::vector<Participation> participations = train(round, number, drawn);
    if (!updates_.empty()) algorithm_.server(round_of(round, 0), updates_, state_.server);
    if (!state_.server.model.allFinite() || !state_.server.control.allFinite() || !output().allFinite())
      throw Diverged(fmt::format("round {}: the global model is no longer finite", number));
    adapt_clipping(number, participations);
    state_.round = number;
    if (look) {
      // A mistake may make a client train more often than it is asked.
      const std::span<const Participation> asked = std::span(participations).last(drawn.clients.size());
      look({number, drawn.clients, updates_, asked, state_.server.model});
    }
    if (ledger != nullptr) ledger->round({number, phase, drawn, followed}, participations);
  }

  // Whether the model after the last round is evaluated, in a run of any length.
  bool is_due() const { return state_.round % run_->evaluate_every == 0; }

  // Of that model, where the noise follows it.
  std::optional<double> followed_error() const {
    if (!run_.follows_error_after(state_.round)) return std::nullopt;
    return error_of(model_.score_kind(), state_.history.back().test_score);
  }

  // @throws Diverged when the loss of the global model is not finite
  Metrics evaluate(const Measure& measure) {
    Metrics metrics = evaluation_(state_.round, output(), state_.clients);
    if (!std::isfinite(metrics.train_loss))
      throw Diverged(fmt::format("round {}: the training loss is {}", state_.round, metrics.train_loss));
    if (run_.validation() && !std::isfinite(metrics.test_score))
      throw Diverged(fmt::format("round {}: the test score is {}", state_.round, metrics.test_score));
    if (measure) metrics.measured = measure(output());
    state_.history.push_back(metrics);
    follow_errors();
    return metrics;
  }

 private:
  void follow_errors() {
    if (!run_.validation()) return;
    std::vector<ValidationError> errors;
    for (const Metrics& metrics : state_.history)
      if (run_.follows_error_after(metrics.round))
        errors.push_back({metrics.round, error_of(model_.score_kind(), metrics.test_score)});
    run_ = run_.following(errors);
  }

  // The round as one participant is to see it. A warm start takes no step.
  Round round_of(const Round& round, std::uint64_t client) const {
    Round own = round;
    own.step_sizes = round.phase == Phase::training ? steps_.local(round.number, records_[client]) : std::vector{0.0};
    own.step_size = own.step_sizes.empty() ? 0 : own.step_sizes.front();
    return own;
  }

  std::vector<Participation> train(const Round& round, std::uint64_t number, const Participants& drawn) {
    std::vector<std::uint64_t> clients = drawn.clients;
    if (fault_ == Fault::drawn_twice && !clients.empty()) clients.insert(clients.begin(), clients.front());
    updates_.resize(clients.size());
    std::vector<Participation> participations(clients.size());
    std::vector<std::string> failures(clients.size());
    std::vector<ClientState*> states;
    for (const std::uint64_t client : clients) states.push_back(&state_.clients[client]);
    workers_.for_each(clients.size(), [&](std::size_t slot, Worker& worker) {
      try {
        participations[slot] = train_one(round, number, clients[slot], *states[slot], worker, updates_[slot]);
      } catch (const InvalidArgument& error) {
        failures[slot] = error.what();
      }
      if (failures[slot].empty() && !(updates_[slot].model.allFinite() && updates_[slot].control.allFinite()))
        failures[slot] = "the update is not finite";
      if (failures[slot].empty() && !can_be_recorded(participations[slot]))
        failures[slot] = "the sum of squares of its noise is not finite";
    });
    // In client order, so that which failure is reported does not depend on the threads.
    for (std::size_t slot = 0; slot < failures.size(); ++slot)
      if (!failures[slot].empty())
        throw Diverged(fmt::format("round {}, client {}: {}", number, clients[slot], failures[slot]));
    const std::size_t extra = clients.size() - drawn.clients.size();
    updates_.erase(updates_.begin(), updates_.begin() + static_cast<std::ptrdiff_t>(extra));
    for (std::size_t slot = 0; slot < updates_.size(); ++slot) {
      updates_[slot].weight = drawn.weights[slot];
      updates_[slot].share = shares_[drawn.clients[slot]];
      // A client need not release anything.
      const std::vector<ReleaseRun>& releases = participations[slot + extra].releases;
      updates_[slot].sample = releases.empty() ? 1 : releases.front().sample;
      updates_[slot].noise_std = releases.empty() ? 0 : releases.front().noise_std;
    }
    return participations;
  }

  Participation train_one(const Round& round, std::uint64_t number, std::uint64_t client, ClientState& state,
                          Worker& worker, Update& update) {
    const Sizes sizes = population_[client];
    BatchRecipe recipe = recipe_of(run_, sizes, number, state_.clip_norm);
    if (fault_ == Fault::shifted_schedule) recipe.noise_multipliers = step_noises(run_, sizes, number + 1);
    const ClientRecords records = clients_.of(client, false, worker.records);
    BatchRelease release({model_, *records.train, records.rows, run_->seed, number, client}, recipe, worker.release,
                         fault_);
    Round own = round_of(round, client);
    algorithm_.client(own, state_.server, state, release, update);
    return {number, client, release.releases(), std::move(own.step_sizes)};
  }

  void adapt_clipping(std::uint64_t number, const std::vector<Participation>& participations) {
    const auto* clipping = std::get_if<AdaptiveClipping>(&run_->clipping);
    if (clipping == nullptr || fault_ == Fault::stuck_norm) return;
    std::vector<double> shares;
    for (const Participation& participation : participations) shares.push_back(share_below(participation.releases));
    const double adapted = adapted_norm(run_, state_.clip_norm, shares);
    require(std::isnormal(adapted), "clip_learning_rate", clipping->learning_rate,
            fmt::format("smaller (or clip_noise): the clipping norm after round {} would be {}", number, adapted));
    state_.clip_norm = adapted;
  }

  SettledRun run_;
  const ClientSource& clients_;
  const Fault fault_;
  const StepSizes steps_;
  const Algorithm& algorithm_;
  const Model& model_;
  const std::vector<std::uint64_t>& records_;
  const Population population_;
  Workers workers_;
  Evaluation evaluation_;
  std::vector<double> shares_;
  std::vector<Update> updates_;
  State state_;
};

// Where a simulation ends: after all of its rounds, or before the first that its filter does not let through.
class End {
 public:
  End(const SettledRun& run, const ClientSource& clients, std::uint64_t dimension, Fault fault)
      : rounds_(run.released_rounds()) {
    if (run.filter() != nullptr && fault != Fault::ignored_filter)
      filter_.emplace(run, distinct_sizes(run, clients.train_sizes(), dimension));
  }

  bool is_reached(const Simulation& simulation) {
    const std::uint64_t done = simulation.state().round;
    return done == rounds_ || (filter_ && !filter_->admits(simulation.run(), done + 1));
  }

 private:
  std::uint64_t rounds_;
  std::optional<RunFilter> filter_;
};

}  // namespace

Result simulate(const SettledRun& run, const ClientSource& clients, const Surroundings& around) {
  check(run, clients);
  require(around.checkpoint_every >= 1, "checkpoint_every", around.checkpoint_every, "at least 1");
  const std::unique_ptr<Model> model = make_model(run->model, clients.form());
  const auto dimension = static_cast<std::uint64_t>(model->dimension());
  check_dimension(dimension);
  std::optional<Simulation> begun;
  std::optional<Metrics> first;
  try {
    begun.emplace(run, clients, *model, around.fault);
    begun->reserve();
    if (!around.resume) first = begun->evaluate(around.measure);
  } catch (const std::bad_alloc&) {
    throw InvalidArgument(
        fmt::format("model is {}, but its {} parameters, for each participant and thread, are more "
                    "than there is memory for",
                    run->model, dimension));
  }
  Simulation& simulation = *begun;
  const auto show = [&](const Metrics& metrics) {
    if (around.watch) around.watch(metrics);
  };
  const LedgerHeader header = make_header(run, clients, dimension);
  const Identity identity{run, header.fingerprint};
  if (!around.checkpoint.empty()) require_writable_checkpoint(around.checkpoint);
  if (around.resume) {
    simulation.take_up(read_checkpoint(around.checkpoint, identity));
    if (around.ledger != nullptr) around.ledger->take_up(header, simulation.state().round);
    if (around.watch) std::ranges::for_each(simulation.state().history, around.watch);
  } else {
    if (around.ledger != nullptr) around.ledger->begin(header);
    show(*first);
  }

  End end(run, clients, dimension, around.fault);
  const State& state = simulation.state();
  bool over = end.is_reached(simulation);
  bool stopped = false;
  while (!over && !stopped) {
    simulation.next_round(around.ledger, around.look);
    if (simulation.is_due()) show(simulation.evaluate(around.measure));
    over = end.is_reached(simulation);
    if (over && !simulation.is_due()) show(simulation.evaluate(around.measure));
    if (around.progress) around.progress(state.round);
    stopped = !over && around.interrupted && around.interrupted();
    if (!around.checkpoint.empty() && (stopped || over || state.round % around.checkpoint_every == 0))
      write_checkpoint(around.checkpoint, identity, state);
  }
  Result result{simulation.output(), state.round, state.history.back(), state.history};
  if (around.ledger != nullptr && over)
    around.ledger->end({state.round, result.last.train_loss, result.last.test_score, simulation.followed_error()});
  return result;
}

Result simulate(const RunRequest& request, const ClientSource& clients, const Surroundings& around) {
  check(settle(request), clients);
  const auto dimension = static_cast<std::uint64_t>(make_model(request.model, clients.form())->dimension());
  return simulate(settle(request, clients.train_sizes(), dimension), clients, around);
}

Result simulate(const SettledRun& run, const FederatedData& data, const Surroundings& around) {
  return simulate(run, HeldClients(data), around);
}

Result simulate(const RunRequest& request, const FederatedData& data, const Surroundings& around) {
  return simulate(request, HeldClients(data), around);
}

}  // namespace dpbudget::fl
