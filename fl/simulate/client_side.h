/// @file
/// What happens at the clients of a run: of all of them, or of one process's share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/algorithms/step_sizes.h"
#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/evaluation.h"
#include "dpbudget/fl/simulate/fault.h"
#include "dpbudget/fl/simulate/workers.h"

namespace dpbudget::fl {

/// What clients are told of a round.
struct Call {
  std::uint64_t number = 0;  ///< of the round, warm-start rounds counted in
  double clip_norm = 0;
  const ServerState& server;
  std::span<const std::uint64_t> clients;  ///< who is to train, in order: each has a slot
};

/// What comes of it, slot by slot.
struct Trained {
  std::vector<Update> updates;
  std::vector<Participation> participations;
  std::vector<std::string> failures;  ///< why a slot has neither; empty where it has

  void resize(std::size_t slots) {
    updates.resize(slots);
    participations.assign(slots, {});
    failures.assign(slots, {});
  }
};

/// The clients of one share, and the threads that they train on.
class ClientSide {
 public:
  /// All but `run` and `share` outlive this.
  /// @param kept  what the share's clients keep from one participation to the next
  /// @throws InvalidArgument as StepSizes
  ClientSide(const SettledRun& run, const ClientSource& clients, const Model& model, Fault fault, Share share,
             std::map<std::uint64_t, ClientState>& kept);

  const SettledRun& run() const { return run_; }  // with its noise as far as it is known
  const std::vector<std::uint64_t>& records() const { return records_; }
  const ClientSource& clients() const { return clients_; }
  const Share& share() const { return share_; }

  /// From now on the noise follows these errors.
  void follow(const std::vector<ValidationError>& errors) { run_ = run_.following(errors); }

  /// Round `number` as the server sees it.
  Round round(std::uint64_t number, double clip_norm) const;

  /// Trains those of the slots whose clients are the share's, and leaves the others alone.
  void train(const Call& call, Trained& trained);

  /// How good a model is on the records of the share's clients.
  Scores scores(const Vector& global) { return evaluation_.scores(global, kept_, share_); }

  /// @param scores  of all shares
  Metrics metrics(std::uint64_t round, const Vector& global, const Scores& scores) {
    return evaluation_.metrics(round, global, scores);
  }

  /// What clients of the share keep.
  std::map<std::uint64_t, ClientState>& kept() { return kept_; }

 private:
  Round round_of(const Round& round, std::uint64_t client) const;
  Participation train_one(const Call& call, const Round& round, std::uint64_t client, ClientState& state,
                          Worker& worker, Update& update);

  SettledRun run_;
  const ClientSource& clients_;
  const Fault fault_;
  const Share share_;
  const StepSizes steps_;
  const Algorithm& algorithm_;
  const Model& model_;
  const std::vector<std::uint64_t>& records_;
  const Population population_;
  std::map<std::uint64_t, ClientState>& kept_;
  Workers workers_;
  Evaluation evaluation_;
};

}  // namespace dpbudget::fl
