#include "dpbudget/fl/runner.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <utility>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Sample;
using mechanisms::Stream;
using mechanisms::WithoutReplacement;

class Simulation {
 public:
  Simulation(const Run& run, const FederatedData& data)
      : run_(run),
        data_(data),
        algorithm_(find_algorithm(run.algorithm)),
        model_(data.train.features.cols(), data.train.classes),
        participants_(drawn(run.user_rate, data.clients.size())),
        updates_(participants_),
        clients_(data.clients.size()),
        control_(tbb::global_control::max_allowed_parallelism, run.threads),
        arena_(static_cast<int>(run.threads)) {
    server_.model.setZero(model_.dimension());
    server_.control.setZero(model_.dimension());
  }

  std::uint64_t dimension() const { return static_cast<std::uint64_t>(model_.dimension()); }

  // Runs round `number` in full; nothing reaches the ledger unless every participant finished.
  void round(std::uint64_t number, LedgerWriter* ledger) {
    const Phase phase = number <= *run_.warm_start_rounds ? Phase::warm_start : Phase::training;
    const Round round{phase,
                      data_.clients.size(),
                      *run_.local_steps,
                      run_.initial_step / (run_.record_rate * static_cast<double>(*run_.local_steps)),
                      run_.server_step,
                      run_.regularisation};
    Stream sampling({run_.seed, Purpose::user_sampling, number, 0, 0});
    const auto sample = mechanisms::sample_without_replacement(data_.clients.size(), participants_, sampling);
    const std::vector<Participation> participations = train_participants(round, number, sample);
    algorithm_.algorithm.server(round, updates_, server_);
    if (!server_.model.allFinite() || !server_.control.allFinite())
      throw Diverged(fmt::format("round {}: the global model is no longer finite", number));
    if (ledger == nullptr) return;
    RoundEntry entry{
        number, phase, std::string(WithoutReplacement::name), sample.scheme.drawn, sample.scheme.population, {}};
    entry.participants.assign(sample.indices.begin(), sample.indices.end());
    ledger->round(entry, participations);
  }

  // @throws Diverged when the loss of the global model is not finite
  Metrics evaluate(std::uint64_t number) {
    const Metrics metrics{number, train_loss(), model_.accuracy(server_.model, data_.test, workspaces_.local().model)};
    if (!std::isfinite(metrics.train_loss))
      throw Diverged(fmt::format("round {}: the training loss is {}", number, metrics.train_loss));
    return metrics;
  }

  Vector& parameters() { return server_.model; }

 private:
  double train_loss() {
    std::vector<double> losses(data_.clients.size());
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, losses.size(), [&](std::size_t client) {
        const auto& rows = data_.clients[client];
        losses[client] =
            static_cast<double>(rows.size()) * model_.loss(server_.model, data_.train, rows, workspaces_.local().model);
      });
    });
    double total = 0;
    double records = 0;
    for (std::size_t client = 0; client < losses.size(); ++client) {
      total += losses[client];
      records += static_cast<double>(data_.clients[client].size());
    }
    return total / records;
  }

  std::vector<Participation> train_participants(const Round& round, std::uint64_t number,
                                                const Sample<WithoutReplacement>& sample) {
    std::vector<Participation> participations(participants_);
    std::vector<std::string> failures(participants_);
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(participants_), [&](std::size_t slot) {
        const std::uint32_t client = sample.indices[slot];
        try {
          participations[slot] = train(round, number, client, updates_[slot]);
        } catch (const InvalidArgument& error) {
          failures[slot] = error.what();
        }
        if (failures[slot].empty() && !(updates_[slot].model.allFinite() && updates_[slot].control.allFinite()))
          failures[slot] = "the update is not finite";
      });
    });
    // In client order, so that which failure is reported does not depend on the threads.
    for (std::size_t slot = 0; slot < failures.size(); ++slot)
      if (!failures[slot].empty())
        throw Diverged(fmt::format("round {}, client {}: {}", number, sample.indices[slot], failures[slot]));
    return participations;
  }

  Participation train(const Round& round, std::uint64_t number, std::uint32_t client, Update& update) {
    ClientState& state = clients_[client];
    if (state.control.size() == 0) state.control.setZero(model_.dimension());
    const std::vector<std::uint32_t>& rows = data_.clients[client];
    const std::uint64_t sample = drawn(run_.record_rate, rows.size());
    const double noise = algorithm_.adds_noise ? noise_std(run_, sample) : 0;
    BatchRelease release({model_, data_.train, rows, run_.seed, number, client}, {sample, run_.clip_norm, noise},
                         workspaces_.local());
    algorithm_.algorithm.client(round, server_, state, release, update);
    return {number, client, release.releases()};
  }

  const Run& run_;
  const FederatedData& data_;
  const AlgorithmEntry& algorithm_;
  const SoftmaxRegression<double> model_;
  const std::uint64_t participants_;
  std::vector<Update> updates_;
  std::vector<ClientState> clients_;
  ServerState server_;
  tbb::global_control control_;
  tbb::task_arena arena_;
  tbb::enumerable_thread_specific<ReleaseWorkspace> workspaces_;
};

}  // namespace

Result simulate(const Run& given, const FederatedData& data, LedgerWriter* ledger, const Watch& watch) {
  check(given, data);
  const Run run = completed(given);
  Simulation simulation(run, data);
  if (ledger != nullptr) ledger->begin(make_header(run, data, simulation.dimension()));

  Result result;
  const auto evaluate = [&](std::uint64_t number) {
    result.last = simulation.evaluate(number);
    result.history.push_back(result.last);
    if (watch) watch(result.last);
  };
  evaluate(0);
  const std::uint64_t rounds = released_rounds(run);
  for (std::uint64_t number = 1; number <= rounds; ++number) {
    simulation.round(number, ledger);
    result.rounds = number;
    if (number % run.evaluate_every == 0 || number == rounds) evaluate(number);
  }
  if (ledger != nullptr) ledger->end({result.rounds, result.last.train_loss, result.last.test_accuracy});
  result.parameters = std::move(simulation.parameters());
  return result;
}

}  // namespace dpbudget::fl
