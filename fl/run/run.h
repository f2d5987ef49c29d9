/// @file
/// What one simulated training run is asked to do.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/choices.h"

namespace dpbudget::fl {

/// Local steps of a round at most: plans and recipes list the noise of each.
inline constexpr std::uint64_t max_local_steps = 1'000'000;

/// Names and ranges follow Noble et al. 2022, Algorithms 1 and 2, where they have them; their symbols stand in
/// brackets. An optional value belongs to some algorithms only: `completed` fills in what theirs determines, and
/// `check` refuses it for the others. fields.h lists all of them with their texts.
struct Run {
  std::string algorithm = "dp-scaffold";  ///< one of `algorithm_names()`
  std::string model = "softmax";          ///< what is trained, as `make_model` reads it

  std::uint64_t rounds = 100;                ///< [T] rounds that train the model, >= 1; warm-start rounds come on top
  std::optional<std::uint64_t> local_steps;  ///< [K] in [1, max_local_steps]; 1 / record_rate for the -fedsgd variants
  std::optional<std::uint64_t> warm_start_rounds;  ///< round(4 / l) when left out; the -warm variants only

  ClientSampling client_sampling = ClientSampling::uniform;
  Weights weights = Weights::equal;
  double user_rate =
      0.05;  ///< [l] in (0, 1]: floor(l M) of the M users take part in a round, or each with probability l
  double record_rate = 0.2;                 ///< [s] in (0, 1]: floor(s R) of a user's R records make a batch
  std::optional<std::uint64_t> batch_size;  ///< records of a batch, instead of record_rate; of a client that holds
                                            ///< fewer, all it holds
  Batches batches = Batches::fresh;

  double noise_multiplier = 0;        ///< [sigma_g] positive for private variants, 0 for the others
  std::vector<double> silo_noise;     ///< one per client instead of noise_multiplier, positive; empty: all alike
  std::vector<double> silo_epsilon;   ///< one per client, positive: the budget that its noise is found for; empty: none
  std::vector<double> silo_delta;     ///< one per client, in (0, 1): of those budgets; empty: `delta` for all
  std::string schedule = "constant";  ///< how the noise changes over rounds and steps, as `parse_shape` reads it; once
                                      ///< completed it names no file
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

/// `run` with what its algorithm determines filled in.
/// @throws InvalidArgument naming algorithm, or the value that contradicts it
Run completed(Run run);

/// @throws InvalidArgument naming the first value of `run` that is outside its range, or that its algorithm does not
///         take; rounds when the schedule's table ends before they do
void check(const Run& run);

/// @throws InvalidArgument naming the first value of `run` or `sizes` that is outside its range, or the rate that draws
///         nobody of the clients or nothing of the records
void check(const Run& run, const Sizes& sizes);

/// @throws InvalidArgument as `check(run, sizes)` for every client, or naming the data that the simulator cannot take
void check(const Run& run, const FederatedData& data);

/// Members drawn when `rate` of `population` take part: floor(rate * population), where the product is first allowed
/// its rounding error, so that a rate of 0.29 draws 29 of 100 although 0.29 * 100 lies below 29 in binary.
std::uint64_t drawn(double rate, std::uint64_t population);

/// Records of a batch of a client with `records` records: batch_size or all it holds, whichever is less, floor(s R), or
/// the R / (T K) of disjoint batches. `run` must be `completed`.
std::uint64_t batch_of(const Run& run, std::uint64_t records);

/// [s] of a client with `records` records: record_rate as it is given, or, of a batch_size, the batch over what the
/// client holds. `run` must be `completed`, and its batches fresh.
double record_rate_of(const Run& run, std::uint64_t records);

/// The last released round that a schedule's table has; nothing for a schedule without end. `run` must be `completed`.
std::optional<std::uint64_t> last_scheduled_round(const Run& run);

/// Training rounds and warm-start rounds together: each of them releases. `run` must be `completed`.
std::uint64_t released_rounds(const Run& run);

/// How many training records each client holds.
std::vector<std::uint64_t> records_of(const FederatedData& data);

/// Every client of `run`, which holds clients[i] records: what distinguishes one in the eyes of an accountant.
/// @param dimension  of the model, for plans that depend on it
/// @return distinct sizes, in order of records and noise
std::vector<Sizes> distinct_sizes(const Run& run, const std::vector<std::uint64_t>& clients,
                                  std::uint64_t dimension = 0);

/// What a silo may spend.
struct SiloBudget {
  double epsilon;
  double delta;
  friend auto operator<=>(const SiloBudget&, const SiloBudget&) = default;
};

/// The own budget of client number `client` of a run with silo_epsilon.
SiloBudget silo_budget_of(const Run& run, std::uint64_t client);

/// The sizes of client number `client`, as distinct_sizes has them.
Sizes sizes_of(const Run& run, const std::vector<std::uint64_t>& clients, std::uint64_t client,
               std::uint64_t dimension = 0);

/// What 2 C is divided by to give the sensitivity S that the noise multiplier scales: the records of a batch, or the
/// rate s when the unit is a user.
/// @source Noble et al. 2022, section 3.2 (record) and the end of section 3 (user)
double sensitivity_divisor(const Run& run, std::uint64_t sample);

/// The noise's standard deviation, noise_multiplier times 2 clip_norm / divisor, rounded up by two or three units in
/// the last place: what is executed is never a rounding below what was planned, as the run has it or as
/// record_noise_multiplier and user_noise_multiplier derive it in double.
/// @param divisor  positive
double gaussian_std(double noise_multiplier, double clip_norm, double divisor);

/// Its inverse, rounded down: noise of that standard deviation is no less than the multiplier says.
double noise_multiplier_of(double std, double clip_norm, double divisor);

/// A noise multiplier as the run has it, over S, as one over 2 C / sample, which is what replacing one record changes
/// the mean by.
double record_noise_multiplier(const Run& run, double noise_multiplier, std::uint64_t sample);

/// The same over 2 C, which is what replacing all records of one user changes the mean by.
double user_noise_multiplier(const Run& run, double noise_multiplier, std::uint64_t sample);

}  // namespace dpbudget::fl
