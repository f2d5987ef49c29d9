/// @file
/// A federated algorithm: what a participant computes, what the server makes of it, and what the two release.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dpbudget/fl/adversary.h"
#include "dpbudget/fl/release.h"
#include "dpbudget/fl/run.h"

namespace dpbudget::fl {

/// What a round is for: setting the control variates at the initial model, or training the model.
enum class Phase { warm_start, training };

/// What is the same for everybody in a round.
struct Round {
  Phase phase;
  std::uint64_t clients;      ///< [M] all of them, not the participants alone
  std::uint64_t local_steps;  ///< [K]
  double step_size;           ///< [eta_l]
  double server_step;         ///< [eta_g]
  double regularisation;
};

/// What the server keeps and a participant downloads.
struct ServerState {
  Vector model;    ///< [x]
  Vector control;  ///< [c] zero where an algorithm has no control variates
};

/// What a client keeps from one participation to the next.
struct ClientState {
  Vector control;  ///< [c_i] zero until it is first set
};

/// What a participant sends.
struct Update {
  Vector model;    ///< [Delta y_i]
  Vector control;  ///< [Delta c_i]
};

/// The private and the plain variant of an algorithm are the same object: what differs is the Release it is handed.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Sees its records through `release` alone. Every vector has the model's dimension; `update` is overwritten.
  virtual void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                      Update& update) const = 0;

  /// @param updates  those of all participants, in the order of their client numbers; at least one
  virtual void server(const Round& round, std::span<const Update> updates, ServerState& state) const = 0;

  /// What `run` releases about one client that holds sizes.records records; nothing when there is no such claim, or the
  /// run adds no noise.
  ///
  /// The run must pass `check`; for unequal clients ask once for each number of records. Adjacency is replace_one.
  virtual std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary,
                                            Basis basis) const = 0;
};

}  // namespace dpbudget::fl
