/// @file
/// The values of a run that every algorithm reads, as they were written.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/model/precision.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/choices.h"
#include "dpbudget/fl/run/clipping.h"

namespace dpbudget::fl {

/// Names and ranges follow Noble et al. 2022, Algorithms 1 and 2, where they have them; their symbols stand in
/// brackets. fields.h lists all of them with their texts. What an algorithm alone reads stands in its own struct
/// (option.h).
struct Settings {
  std::string algorithm = "dp-scaffold";  ///< one of `algorithm_names()`
  std::string model = "softmax";          ///< what is trained, as `make_model` reads it
  std::optional<Precision> precision;     ///< what the model computes in; left out, what `make_model` says

  std::uint64_t rounds = 100;  ///< [T] rounds that train the model, >= 1; warm-start rounds come on top
  ClientSampling client_sampling = ClientSampling::uniform;
  Weights weights = Weights::equal;
  std::vector<double> client_weights;  ///< [p_i] one per client, positive, in any unit; empty: what `weights` says
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
  Clipping clipping = FixedClipping{};
  Unit unit = Unit::record;  ///< [S] 2 C / m for a record, 2 C / s for a user

  double regularisation = 5e-3;  ///< the objective is the loss plus regularisation / 2 |x|^2

  std::uint64_t seed = 1;
  double delta = 1e-5;                       ///< in (0, 1): the delta of every epsilon that is reported
  std::optional<double> epsilon;             ///< budget: the run stops before the round that would exceed it
  Adversary budget_for = Adversary::server;  ///< whom `epsilon` is for
  std::uint64_t evaluate_every = 10;  ///< rounds between two evaluations, >= 1; the last round is always evaluated
  std::optional<std::uint64_t> evaluate_clients;  ///< on whose records the model is evaluated: as many, >= 1, drawn at
                                                  ///< random for the whole run; left out, or more than there are, all
  unsigned threads = 1;                           ///< in [1, 4096]; changes no bit of the result
};

}  // namespace dpbudget::fl
