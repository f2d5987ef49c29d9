/// @file
/// A federated algorithm: what a participant computes, and what the server makes of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dpbudget/fl/round/records.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What a participant and the server are told of a round.
struct Round {
  const SettledRun& run;
  Phase phase;
  std::uint64_t number;  ///< of the phase's rounds, from 1
  double step_size;  ///< [eta_l] of the participant's first local step, which may depend on its own s; for the server,
                     ///< that of the first client. 0 where the algorithm has no StepScheduleOptions
  std::uint64_t dimension;  ///< of the model
  std::uint64_t sample;     ///< records in a batch of the first client; all have as many where all are alike
  double noise_std;         ///< in a coordinate of its releases; 0 without noise
  std::vector<double> step_sizes = {};  ///< of all local steps where they differ, the first of which is step_size
  double server_factor = 1;             ///< what a server_step is multiplied by in this round
  std::uint64_t clients = 1;            ///< of the run, whether they take part or not

  /// [eta_l] of local step `step`, from 0.
  double step_size_of(std::uint64_t step) const { return step_sizes.size() > 1 ? step_sizes[step] : step_size; }
};

/// What the server keeps. A participant downloads `model` and `control`.
struct ServerState {
  Vector model;                ///< [x]
  Vector control;              ///< [c] of the algorithms with control variates
  std::vector<Vector> memory;  ///< what else an algorithm keeps, in its own order
};

/// What a client keeps from one participation to the next; empty until the algorithm sets it.
struct ClientState {
  Vector control;  ///< [c_i]
  Vector model;    ///< a personalised model
};

/// What a participant sends.
struct Update {
  Vector model;              ///< [Delta y_i]
  Vector control;            ///< [Delta c_i]; empty without control variates
  double weight;             ///< what the update counts, set by the runner before the server sees it
  double share = 0;          ///< [p_i] what its client counts among all, whoever takes part; set by the runner too
  std::uint64_t sample = 1;  ///< records in a batch of its client's, and
  double noise_std = 0;      ///< the deviation in a coordinate of its first release: set by the runner
};

/// What an algorithm's client sees of its own data.
class Release {
 public:
  virtual ~Release() = default;

  /// The mean gradient of the loss over a fresh batch, at `parameters`, as it may leave the client: every use of the
  /// result is post-processing. It stays valid until the next call.
  virtual const Vector& gradient(const Vector& parameters) = 0;
};

/// The private and the plain variant of an algorithm are the same object: what differs is the Release it is handed.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// What it reads of a run beside what all share: OptionList::of<Struct>(), where Struct lists its members (option.h).
  /// The run then gives it back: `run.options<Struct>()`.
  virtual OptionList options() const { return {}; }

  /// Before the first round, when state.model is the initial model.
  virtual void prepare(const SettledRun& /*run*/, ServerState& /*state*/) const {}

  /// Sees its records through `release` alone. Every vector that it sets in `update` has the model's dimension.
  virtual void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                      Update& update) const = 0;

  /// @param updates  those of all participants, in the order of their client numbers; at least one
  virtual void server(const Round& round, std::span<const Update> updates, ServerState& state) const = 0;

  /// The model that the algorithm would hand out now.
  virtual const Vector& output(const ServerState& state) const { return state.model; }
};

}  // namespace dpbudget::fl
