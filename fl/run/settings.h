/// @file
/// The values of a run that hold as they were written.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/choices.h"

namespace dpbudget::fl {

/// Names and ranges follow Noble et al. 2022, Algorithms 1 and 2, where they have them; their symbols stand in
/// brackets. An optional value belongs to some algorithms only: `settle` fills in what theirs determines, and refuses
/// it for the others. fields.h lists all of them with their texts.
struct Settings {
  std::string algorithm = "dp-scaffold";  ///< one of `algorithm_names()`
  std::string model = "softmax";          ///< what is trained, as `make_model` reads it

  std::uint64_t rounds = 100;  ///< [T] rounds that train the model, >= 1; warm-start rounds come on top
  ClientSampling client_sampling = ClientSampling::uniform;
  Weights weights = Weights::equal;
  double user_rate =
      0.05;  ///< [l] in (0, 1]: floor(l M) of the M users take part in a round, or each with probability l
  double record_rate = 0.2;                 ///< [s] in (0, 1]: floor(s R) of a user's R records make a batch
  std::optional<std::uint64_t> batch_size;  ///< records of a batch, instead of record_rate; of a client that holds
                                            ///< fewer, all it holds
  Batches batches = Batches::fresh;

  double noise_multiplier = 0;       ///< [sigma_g] positive for private variants, 0 for the others
  std::vector<double> silo_noise;    ///< one per client instead of noise_multiplier, positive; empty: all alike
  std::vector<double> silo_epsilon;  ///< one per client, positive: the budget that its noise is found for; empty: none
  std::vector<double> silo_delta;    ///< one per client, in (0, 1): of those budgets; empty: `delta` for all
  double clip_norm = std::numeric_limits<double>::infinity();  ///< [C] finite for private variants
  Clipping clipping = Clipping::fixed;
  std::optional<double> clip_quantile;       ///< in (0, 1): of the norms, which adaptive clipping aims at; 0.5
  std::optional<double> clip_learning_rate;  ///< positive: of adaptive clipping, a round; 0.2
  std::optional<double> clip_noise;  ///< positive: noise multiplier of the number of norms below the threshold; 10
  Unit unit = Unit::record;          ///< [S] 2 C / m for a record, 2 C / s for a user

  std::optional<double> initial_step;        ///< [eta_0] the local step size is eta_0 / (s K), or eta_0 itself; 1
  std::optional<double> server_step;         ///< [eta_g] 1
  double regularisation = 5e-3;              ///< the objective is the loss plus regularisation / 2 |x|^2
  std::optional<Optimiser> optimiser;        ///< of the local steps; sgd
  std::optional<double> momentum;            ///< [beta_1] in [0, 1); 0.9
  std::optional<double> second_momentum;     ///< [beta_2] in [0, 1); 0.99
  std::optional<double> adaptivity;          ///< [pi, or Adam's epsilon] positive; 1e-3
  std::optional<double> interpolation;       ///< [alpha] in [0, 1]: weight of the global model in a client's; 1
  std::optional<double> radius;              ///< positive: models stay in the ball about zero; infinity
  std::optional<double> smoothness;          ///< [beta] positive: of the loss, without the regulariser; 1
  std::optional<double> gap;                 ///< [Delta] positive: F(w_0) - F* at most; 1
  std::optional<std::uint64_t> granularity;  ///< >= 1: steps of an encoded coordinate; 1024
  std::optional<std::uint64_t> noise_bits;   ///< >= 1: random bits of an encoded coordinate; 4096

  std::uint64_t seed = 1;
  double delta = 1e-5;                       ///< in (0, 1): the delta of every epsilon that is reported
  std::optional<double> epsilon;             ///< budget: the run stops before the round that would exceed it
  Adversary budget_for = Adversary::server;  ///< whom `epsilon` is for
  std::uint64_t evaluate_every = 10;  ///< rounds between two evaluations, >= 1; the last round is always evaluated
  unsigned threads = 1;               ///< in [1, 4096]; changes no bit of the result
};

}  // namespace dpbudget::fl
