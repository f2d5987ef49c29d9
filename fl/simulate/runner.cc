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
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/round/adaptive_clipping.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/checkpoint.h"
#include "dpbudget/fl/simulate/client_side.h"
#include "dpbudget/fl/simulate/team.h"

namespace dpbudget::fl {
namespace {

class Simulation {
 public:
  Simulation(const SettledRun& run, const ClientSource& clients, const Model& model, const Surroundings& around)
      : fault_(around.fault),
        algorithm_(catalogued(run->algorithm).algorithm),
        model_(model),
        side_(run, clients, model, around.fault, share_of(around.ranks), state_.clients),
        team_(side_, around.ranks) {
    shares_ = shares_of(run, side_.records());
    state_.clip_norm = run->clip_norm;
    state_.server.model = model_.initial(run->seed);
    algorithm_.prepare(run, state_.server);
  }

  // Takes what a round needs of memory, so that what there is not enough of shows before anything is written.
  void reserve() {
    const Eigen::Index dimension = model_.dimension();
    trained_.updates.resize(std::max<std::size_t>(1, drawn(run()->user_rate, side_.records().size())));
    for (Update& update : trained_.updates) {
      update.model.resize(dimension);
      update.control.resize(state_.server.control.size());
    }
    const auto threads = static_cast<Eigen::Index>(std::min<std::size_t>(run()->threads, trained_.updates.size()));
    const Vector of_releases(2 * threads * dimension);
  }

  const SettledRun& run() const { return side_.run(); }  // with its noise as far as it is known
  const State& state() const { return state_; }          // with what clients of this process keep
  void write(CheckpointFile& checkpoint, const Identity& identity) {
    checkpoint.write(identity, team_.is_alone() ? state_ : whole_state());
  }
  void take_up(State state) {
    state_ = std::move(state);
    team_.keep(state_.clients);
    follow_errors();
  }
  const Vector& output() const { return algorithm_.output(state_.server); }

  // Runs the next round in full; nothing reaches the ledger unless every participant finished.
  void next_round(LedgerWriter* ledger, const std::function<void(const Seen&)>& look) {
    const std::uint64_t number = state_.round + 1;
    const std::optional<double> followed = followed_error();
    const Round round = side_.round(number, state_.clip_norm);
    const Participants drawn = draw_participants(run(), side_.records(), number);
    const std::span<const Participation> participations = train(number, drawn);
    const std::span<const Update> updates = std::span(trained_.updates).last(drawn.clients.size());
    if (!updates.empty()) algorithm_.server(round, updates, state_.server);
    if (!state_.server.model.allFinite() || !state_.server.control.allFinite() || !output().allFinite())
      throw Diverged(fmt::format("round {}: the global model is no longer finite", number));
    adapt_clipping(number, participations);
    state_.round = number;
    if (look) {
      // A mistake may make a client train more often than it is asked.
      look({number, drawn.clients, updates, participations.last(drawn.clients.size()), state_.server.model});
    }
    if (ledger != nullptr) ledger->round({number, round.phase, drawn, followed}, participations);
  }

  // Whether the model after the last round is evaluated, in a run of any length.
  bool is_due() const { return state_.round % run()->evaluate_every == 0; }

  // Of that model, where the noise follows it.
  std::optional<double> followed_error() const {
    if (!run().follows_error_after(state_.round)) return std::nullopt;
    return error_of(model_.score_kind(), state_.history.back().test_score);
  }

  // @throws Diverged when the loss of the global model is not finite
  Metrics evaluate(const Measure& measure) {
    Metrics metrics = team_.evaluate(state_.round, output());
    if (!std::isfinite(metrics.train_loss))
      throw Diverged(fmt::format("round {}: the training loss is {}", state_.round, metrics.train_loss));
    if (run().validation() && !std::isfinite(metrics.test_score))
      throw Diverged(fmt::format("round {}: the test score is {}", state_.round, metrics.test_score));
    if (measure) metrics.measured = measure(output());
    state_.history.push_back(metrics);
    follow_errors();
    return metrics;
  }

 private:
  void follow_errors() {
    if (!run().validation()) return;
    std::vector<ValidationError> errors;
    for (const Metrics& metrics : state_.history)
      if (run().follows_error_after(metrics.round))
        errors.push_back({metrics.round, error_of(model_.score_kind(), metrics.test_score)});
    team_.follow(errors);
  }

  // With what clients of other processes keep.
  State whole_state() { return {state_.round, state_.clip_norm, state_.server, team_.kept(), state_.history}; }

  // Of each slot: those that were drawn are the last.
  std::span<const Participation> train(std::uint64_t number, const Participants& drawn) {
    std::vector<std::uint64_t> clients = drawn.clients;
    if (fault_ == Fault::drawn_twice && !clients.empty()) clients.insert(clients.begin(), clients.front());
    trained_.resize(clients.size());
    team_.train({number, state_.clip_norm, state_.server, clients}, trained_);
    // In client order, so that which failure is reported does not depend on the threads.
    for (std::size_t slot = 0; slot < clients.size(); ++slot)
      if (!trained_.failures[slot].empty())
        throw Diverged(fmt::format("round {}, client {}: {}", number, clients[slot], trained_.failures[slot]));
    const std::size_t extra = clients.size() - drawn.clients.size();
    for (std::size_t i = 0; i < drawn.clients.size(); ++i) {
      Update& update = trained_.updates[i + extra];
      update.weight = drawn.weights[i];
      update.share = shares_[drawn.clients[i]];
      // A client need not release anything.
      const std::vector<ReleaseRun>& releases = trained_.participations[i + extra].releases;
      update.sample = releases.empty() ? 1 : releases.front().sample;
      update.noise_std = releases.empty() ? 0 : releases.front().noise_std;
    }
    return trained_.participations;
  }

  void adapt_clipping(std::uint64_t number, std::span<const Participation> participations) {
    const auto* clipping = std::get_if<AdaptiveClipping>(&run()->clipping);
    if (clipping == nullptr || fault_ == Fault::stuck_norm) return;
    std::vector<double> shares;
    for (const Participation& participation : participations) shares.push_back(share_below(participation.releases));
    const double adapted = adapted_norm(run(), state_.clip_norm, shares);
    require(std::isnormal(adapted), "clip_learning_rate", clipping->learning_rate,
            fmt::format("smaller (or clip_noise): the clipping norm after round {} would be {}", number, adapted));
    state_.clip_norm = adapted;
  }

  const Fault fault_;
  const Algorithm& algorithm_;
  const Model& model_;
  State state_;
  ClientSide side_;
  Team team_;
  std::vector<double> shares_;
  Trained trained_;
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
  const std::unique_ptr<Model> model = make_model(run->model, clients.form(), run->precision);
  const auto dimension = static_cast<std::uint64_t>(model->dimension());
  check_dimension(dimension);
  std::optional<Simulation> begun;
  std::optional<Metrics> first;
  try {
    begun.emplace(run, clients, *model, around);
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
  std::optional<CheckpointFile> checkpoint;
  if (!around.checkpoint.empty()) checkpoint.emplace(around.checkpoint);
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
    if (checkpoint && (stopped || over || state.round % around.checkpoint_every == 0))
      simulation.write(*checkpoint, identity);
  }
  Result result{simulation.output(), state.round, state.history.back(), state.history};
  if (around.ledger != nullptr && over)
    around.ledger->end({state.round, result.last.train_loss, result.last.test_score, simulation.followed_error()});
  return result;
}

Result simulate(const RunRequest& request, const ClientSource& clients, const Surroundings& around) {
  check(settle(request), clients);
  const auto dimension =
      static_cast<std::uint64_t>(make_model(request.model, clients.form(), request.precision)->dimension());
  return simulate(settle(request, clients.train_sizes(), dimension), clients, around);
}

Result simulate(const SettledRun& run, const FederatedData& data, const Surroundings& around) {
  return simulate(run, HeldClients(data), around);
}

Result simulate(const RunRequest& request, const FederatedData& data, const Surroundings& around) {
  return simulate(request, HeldClients(data), around);
}

}  // namespace dpbudget::fl
