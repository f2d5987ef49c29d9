/// @file
/// What clients release in a round, as it is planned and as it is written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/run/choices.h"
#include "dpbudget/fl/run/clipping.h"
#include "dpbudget/fl/run/mechanism.h"
#include "dpbudget/mechanisms/binomial_encoder.h"

namespace dpbudget::fl {

/// What a round is for: setting the control variates at the initial model, or training the model.
enum class Phase { warm_start, training };

/// Releases that a client made one after the other by the same recipe.
struct ReleaseRun {
  /// Gaussian noise scaled to the median of the batch's norms: no guarantee, because the scale is the records' secret.
  static constexpr std::string_view gaussian_at_median = "gaussian_at_median";

  std::uint64_t count = 0;
  std::string mechanism;         ///< its `MechanismTraits::name`, or gaussian_at_median
  double noise_std = 0;          ///< in every coordinate: of the mean gradient, of each shuffled report, or of the sum
                                 ///< of a batch's binomial reports; 0 without noise
  double clip_norm = 0;          ///< infinite without a guarantee
  double largest_norm = 0;       ///< of a record's gradient before clipping. Not private: for the auditor only
  double largest_released = 0;   ///< the same after clipping
  std::uint64_t sample = 0;      ///< records in a batch
  std::uint64_t population = 0;  ///< records that a batch is drawn from
  std::string scheme;            ///< how: without_replacement, with_replacement, disjoint or shuffled
  std::optional<std::uint64_t> first;     ///< disjoint, shuffled: where in the order the first batch begins
  std::optional<std::uint64_t> pass;      ///< shuffled: which order of the round that is, from 1
  std::optional<double> count_noise;      ///< adaptive clipping: noise multiplier of the number below the threshold
  double count_below = 0;                 ///< that number with its noise, summed over all `count` releases
  double count_noise_sum_of_squares = 0;  ///< of the noise found on that number in all `count` releases
  std::optional<mechanisms::BinomialEncoder> encoder;  ///< shuffled_binomial
  std::uint64_t coordinates = 0;                       ///< of one release
  double noise_sum_of_squares = 0;  ///< of the noise found in all `count` releases, in their units, not in noise_std;
                                    ///< of binomial noise, in the sum of a batch's reports

  /// What was recorded, but for where the noise was scaled to; nothing where no mechanism has that name.
  std::optional<Mechanism> released_by() const {
    return find_mechanism(mechanism == gaussian_at_median ? traits_of(Mechanism::gaussian).name : mechanism);
  }

  /// Where in the order the last batch ends; 2^64 - 1 where that is further.
  std::uint64_t end() const;

  friend bool operator==(const ReleaseRun&, const ReleaseRun&) = default;
};

/// The name of batches that a client takes in order, each record once.
inline constexpr std::string_view disjoint_scheme = "disjoint";

/// The name of batches that are cut from random orders of a round.
inline constexpr std::string_view shuffled_scheme = "shuffled";

/// What the ledger calls the way in which such batches are drawn.
std::string_view scheme_name(Batches batches);

/// How a client releases its batches in one round.
struct BatchRecipe {
  Mechanism mechanism = Mechanism::none;
  Batches batches = Batches::fresh;
  std::uint64_t sample = 1;       ///< records in a batch, in [1, records of the client]
  std::uint64_t first_batch = 0;  ///< disjoint: which of its batches the round begins with
  Clipping clipping = FixedClipping{};
  double clip_norm = 0;                   ///< positive; infinite if and only if there is no noise
  std::vector<double> noise_multipliers;  ///< of each step, over 2 clip_norm / divisor; unused by binomial noise
  double divisor = 1;                     ///< records in a batch, or the rate when the unit is a user
  std::optional<double> count_noise;      ///< adaptive clipping
  std::optional<mechanisms::BinomialEncoder> encoder;  ///< shuffled_binomial
};

/// What the ledger calls such releases.
std::string_view mechanism_name(const BatchRecipe& recipe);

}  // namespace dpbudget::fl
