/// @file
/// Runs an algorithm over clients, round by round.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/ledger/writer.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/fault.h"
#include "dpbudget/fl/simulate/state.h"

namespace dpbudget::fl {

/// What a run came to.
struct Result {
  Vector parameters;             ///< of the model that the algorithm hands out
  std::uint64_t rounds = 0;      ///< released, warm-start rounds included
  Metrics last;                  ///< after the last round
  std::vector<Metrics> history;  ///< what `watch` was given, in order
};

/// A model or an update that is no longer finite, named with its round and client.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Told of the initial model, of every `evaluate_every`-th round and of the last; when a run is taken up, of those
/// before again.
using Watch = std::function<void(const Metrics&)>;

/// What else is to be known of a model that is evaluated, by names.
using Measure = std::function<std::map<std::string, double>(const Vector& parameters)>;

/// What the server is sent in a round, and the model that it makes of it.
struct Seen {
  std::uint64_t number;                           ///< of the round, warm-start rounds counted in
  std::span<const std::uint64_t> clients;         ///< who took part
  std::span<const Update> updates;                ///< of each of them
  std::span<const Participation> participations;  ///< of each of them
  const Vector& model;                            ///< after the round
};

/// What goes on around a run, and changes no bit of it.
struct Surroundings {
  LedgerWriter* ledger = nullptr;  ///< written as the run goes on; null writes none
  Watch watch = {};
  Measure measure = {};                              ///< of every model that `watch` is told of
  std::function<void(std::uint64_t)> progress = {};  ///< told of every round that is done
  std::filesystem::path checkpoint = {};   ///< where the state is kept, so that the run can be taken up; empty: nowhere
  std::uint64_t checkpoint_every = 10;     ///< rounds between two of them, >= 1
  bool resume = false;                     ///< take up the run that the checkpoint, which must exist, is of
  std::function<bool()> interrupted = {};  ///< asked after every round; true writes a checkpoint and stops
  Fault fault = Fault::none;               ///< a mistake to commit
  std::function<void(const Seen&)> look = {};  ///< shown every round
  Ranks* ranks = nullptr;  ///< the other processes that `serve` this run, of which this is the first; null: none
};

/// Trains the run's model as `run` says. Noise that follows errors follows those of the evaluations, and the run's
/// filter may end it before its rounds are done. The result and the ledger are the same to the last bit for every
/// number of threads and of ranks, and whether or not the run was interrupted and taken up again.
///
/// Of clients whose records are drawn, those of participants are, and of who is evaluated: nobody else costs more than
/// an entry of its own.
///
/// @param run  settled for these clients: with the noise and the rounds that its budgets pay for
/// @throws InvalidArgument as check(run, clients), before anything is computed or written; or naming the checkpoint
/// that
///         cannot be read, is another run's, or stands where none can be written
/// @throws InvalidArgument naming model, when there is no memory for its parameters; nothing is then written
/// @throws Diverged naming round and client; the ledger then holds the rounds before
/// @throws CannotWrite when the ledger or the checkpoint can no longer be written
Result simulate(const SettledRun& run, const ClientSource& clients, const Surroundings& around = {});

/// The same of what `request` settles to.
/// @throws InvalidArgument as settle(request, clients, dimension) besides
Result simulate(const RunRequest& request, const ClientSource& clients, const Surroundings& around = {});

/// The same on records that are held.
Result simulate(const SettledRun& run, const FederatedData& data, const Surroundings& around = {});
/// The same of what `request` settles to, on records that are held.
Result simulate(const RunRequest& request, const FederatedData& data, const Surroundings& around = {});

}  // namespace dpbudget::fl
