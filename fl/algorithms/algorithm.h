/// @file
/// A federated algorithm: what a participant computes, what the server makes of it, and what its paper claims.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/release.h"

namespace dpbudget::fl {

/// What a round is for: setting the control variates at the initial model, or training the model.
enum class Phase { warm_start, training };

/// What a participant and the server are told of a round.
struct Round {
  const Run& run;  ///< completed
  Phase phase;
  std::uint64_t number;  ///< of the phase's rounds, from 1
  double step_size;      ///< [eta_l] of the participant, whose own s it may depend on; for the server, eta_0. 0 where
                         ///< the run has no `step`
  std::uint64_t dimension;  ///< of the model
  std::uint64_t sample;     ///< records in a batch of the first client; all have as many where all are alike
  double noise_std;         ///< in a coordinate of its releases; 0 without noise
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
  Vector model;      ///< [Delta y_i]
  Vector control;    ///< [Delta c_i]; empty without control variates
  double weight;     ///< what the update counts, set by the runner before the server sees it
  double share = 0;  ///< [p_i] what its client counts among all, whoever takes part; set by the runner too
};

/// The private and the plain variant of an algorithm are the same object: what differs is the Release it is handed.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Before the first round, when state.model is the initial model.
  virtual void prepare(const Run& /*run*/, ServerState& /*state*/) const {}

  /// Sees its records through `release` alone. Every vector that it sets in `update` has the model's dimension.
  virtual void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                      Update& update) const = 0;

  /// @param updates  those of all participants, in the order of their client numbers; at least one
  virtual void server(const Round& round, std::span<const Update> updates, ServerState& state) const = 0;

  /// The model that the algorithm would hand out now.
  virtual const Vector& output(const ServerState& state) const { return state.model; }

  /// What the algorithm's paper claims that `run`, which passes `check` and adds noise, releases about one client;
  /// nothing when it claims nothing about that adversary. Adjacency is replace_one.
  virtual std::optional<AdversaryPlan> published(const Run& /*run*/, const Sizes& /*sizes*/,
                                                 Adversary /*adversary*/) const {
    return std::nullopt;
  }

  /// epsilon of that claim by the paper's own arithmetic.
  /// @return nothing when the paper has none beyond what the claim's plan costs
  virtual std::optional<double> published_epsilon(const Run& /*run*/, const Sizes& /*sizes*/, Adversary /*adversary*/,
                                                  double /*delta*/) const {
    return std::nullopt;
  }

  /// The noise multiplier that the paper prescribes for a silo's own budget over the run's rounds.
  /// @return nothing where it prescribes none, or its preconditions fail
  virtual std::optional<double> published_noise(const Run& /*run*/, const Sizes& /*sizes*/, Adversary /*adversary*/,
                                                double /*epsilon*/, double /*delta*/) const {
    return std::nullopt;
  }

  /// The largest number of released rounds that the paper's arithmetic allows at (epsilon, delta).
  /// @return nothing when it is found by trying `published_epsilon`, or there is no such arithmetic
  virtual std::optional<std::uint64_t> published_rounds(const Run& /*run*/, const Sizes& /*sizes*/,
                                                        Adversary /*adversary*/, double /*epsilon*/,
                                                        double /*delta*/) const {
    return std::nullopt;
  }
};

}  // namespace dpbudget::fl
