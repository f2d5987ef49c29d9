/// @file
/// What one simulated training run is asked to do.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "dpbudget/fl/adversary.h"
#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// What the noise scale protects: one record, or everything that one user holds.
enum class Unit { record, user };

/// Names and ranges follow Noble et al. 2022, Algorithms 1 and 2; their symbols stand in brackets.
struct Run {
  std::string algorithm = "dp-scaffold";  ///< one of `algorithm_names()`
  std::uint64_t rounds = 100;             ///< [T] rounds that train the model, >= 1; warm-start rounds come on top
  std::optional<std::uint64_t>
      local_steps;              ///< [K] >= 1; left out for the -fedsgd variants, which take 1 / record_rate
  double user_rate = 0.05;      ///< [l] in (0, 1]: floor(l M) of the M users take part in a round
  double record_rate = 0.2;     ///< [s] in (0, 1]: floor(s R) of a user's R records make a batch
  double noise_multiplier = 0;  ///< [sigma_g] positive for the dp- variants, 0 for the others
  double clip_norm = std::numeric_limits<double>::infinity();  ///< [C] finite for the dp- variants
  double initial_step = 1;                                     ///< [eta_0] the local step size is eta_0 / (s K)
  double server_step = 1;                                      ///< [eta_g]
  double regularisation = 5e-3;                    ///< the objective is the loss plus regularisation / 2 |x|^2
  std::optional<std::uint64_t> warm_start_rounds;  ///< round(4 / l) when left out; the -warm variants only
  Unit unit = Unit::record;                        ///< [S] 2 C / m for a record, 2 C / s for a user
  std::uint64_t seed = 1;
  double delta = 1e-5;                ///< in (0, 1): the delta of every epsilon that is reported
  std::uint64_t evaluate_every = 10;  ///< rounds between two evaluations, >= 1; the last round is always evaluated
  unsigned threads = 1;               ///< in [1, 4096]; changes no bit of the result
};

/// `run` with what its algorithm determines filled in: `local_steps` and `warm_start_rounds` are then set.
/// @throws InvalidArgument naming algorithm, local_steps, record_rate or warm_start_rounds, when they contradict
Run completed(Run run);

/// @throws InvalidArgument naming the first value of `run` that is outside its range
void check(const Run& run);

/// @throws InvalidArgument naming the first value of `run` or `sizes` that is outside its range, or the rate that draws
///         nobody of the clients or nothing of the records
void check(const Run& run, const Sizes& sizes);

/// @throws InvalidArgument as `check(run, sizes)` for every client, or naming the data that the simulator cannot take
void check(const Run& run, const FederatedData& data);

/// Members drawn when `rate` of `population` take part: floor(rate * population), where the product is first allowed
/// its rounding error, so that a rate of 0.29 draws 29 of 100 although 0.29 * 100 lies below 29 in binary.
std::uint64_t drawn(double rate, std::uint64_t population);

/// Training rounds and warm-start rounds together: each of them releases. `run` must be `completed`.
std::uint64_t released_rounds(const Run& run);

/// Standard deviation of the noise on the mean of `sample` clipped gradients, in every coordinate: S sigma_g.
/// @source Noble et al. 2022, section 3.2 (record) and the end of section 3 (user)
double noise_std(const Run& run, std::uint64_t sample);

/// That noise divided by 2 C / sample, which is what replacing one record changes the mean by.
double record_noise_multiplier(const Run& run, std::uint64_t sample);

/// That noise divided by 2 C, which is what replacing all records of one user changes the mean by.
double user_noise_multiplier(const Run& run, std::uint64_t sample);

}  // namespace dpbudget::fl
