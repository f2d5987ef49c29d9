/// @file
/// The only door through which a client's records influence anything: it samples, clips, adds noise and keeps the
/// books.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/run/choices.h"
#include "dpbudget/fl/simulate/fault.h"
#include "dpbudget/mechanisms/binomial_encoder.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// Releases that a client made one after the other by the same recipe.
struct ReleaseRun {
  static constexpr std::string_view gaussian = "gaussian";
  /// Gaussian noise scaled to the median of the batch's norms: no guarantee, because the scale is the records' secret.
  static constexpr std::string_view gaussian_at_median = "gaussian_at_median";
  static constexpr std::string_view shuffled_gaussian = "shuffled_gaussian";
  static constexpr std::string_view shuffled_binomial = "shuffled_binomial";
  static constexpr std::string_view no_guarantee = "none";  ///< released as it is

  std::uint64_t count = 0;
  std::string mechanism;
  double noise_std = 0;          ///< in every coordinate: of the mean gradient, of each shuffled report, or of the sum
                                 ///< of a batch's binomial reports; 0 without noise
  double clip_norm = 0;          ///< infinite without a guarantee
  double largest_norm = 0;       ///< of a record's gradient before clipping. Not private: for the auditor only
  double largest_released = 0;   ///< the same after clipping
  std::uint64_t sample = 0;      ///< records in a batch
  std::uint64_t population = 0;  ///< records that a batch is drawn from
  std::string scheme;            ///< how: without_replacement or disjoint
  std::optional<std::uint64_t> first;     ///< disjoint: where in the client's order the first batch begins
  std::optional<double> count_noise;      ///< adaptive clipping: noise multiplier of the number below the threshold
  double count_below = 0;                 ///< that number with its noise, summed over all `count` releases
  double count_noise_sum_of_squares = 0;  ///< of the noise found on that number in all `count` releases
  std::optional<mechanisms::BinomialEncoder> encoder;  ///< shuffled_binomial
  std::uint64_t coordinates = 0;                       ///< of one release
  double noise_sum_of_squares = 0;  ///< of the noise found in all `count` releases, in their units, not in noise_std;
                                    ///< of binomial noise, in the sum of a batch's reports

  friend bool operator==(const ReleaseRun&, const ReleaseRun&) = default;
};

/// The name of batches that a client takes in order, each record once.
inline constexpr std::string_view disjoint_scheme = "disjoint";

/// What an algorithm's client sees of its own data.
class Release {
 public:
  virtual ~Release() = default;

  /// The mean gradient of the loss over a fresh batch, at `parameters`, as it may leave the client: every use of the
  /// result is post-processing. It stays valid until the next call.
  virtual const Vector& gradient(const Vector& parameters) = 0;
};

/// How a client releases its batches in one round.
struct BatchRecipe {
  Mechanism mechanism = Mechanism::none;
  Batches batches = Batches::fresh;
  std::uint64_t sample = 1;       ///< records in a batch, in [1, records of the client]
  std::uint64_t first_batch = 0;  ///< disjoint: which of its batches the round begins with
  Clipping clipping = Clipping::fixed;
  double clip_norm = 0;                   ///< positive; infinite if and only if there is no noise
  std::vector<double> noise_multipliers;  ///< of each step, over 2 clip_norm / divisor; unused by binomial noise
  double divisor = 1;                     ///< records in a batch, or the rate when the unit is a user
  std::optional<double> count_noise;      ///< adaptive clipping
  std::optional<mechanisms::BinomialEncoder> encoder;  ///< shuffled_binomial
  Fault fault = Fault::none;                           ///< a mistake to commit
};

/// Which client's records, in which round.
struct ClientData {
  const Model& model;
  const Dataset& train;
  std::span<const std::uint32_t> rows;  ///< of `train`, which the client holds
  std::uint64_t seed;
  std::uint64_t round;
  std::uint64_t client;
};

/// What the ledger calls such releases.
std::string_view mechanism_name(const BatchRecipe& recipe);

/// Memory that the releases of one thread share, so that a step allocates nothing for the model's dimension.
struct ReleaseWorkspace {
  std::unique_ptr<Model::Workspace> model;
  std::vector<std::uint32_t> batch;
  std::vector<double> norms;
  Vector gradient;
  Vector noiseless;
};

/// Batches of fixed size, gradients clipped record by record, noise on their mean or on each of them. Draws are keyed
/// by (seed, purpose, round, client, step), steps counted from 1.
/// @source Noble et al. 2022, Algorithm 1, lines 8 to 14
class BatchRelease final : public Release {
 public:
  /// @throws InvalidArgument naming sample, clip, noise or steps
  BatchRelease(const ClientData& data, const BatchRecipe& recipe, ReleaseWorkspace& workspace);

  /// @throws InvalidArgument naming steps, when there is no noise left for another one
  const Vector& gradient(const Vector& parameters) override;

  /// @return what was released so far
  const std::vector<ReleaseRun>& releases() const { return releases_; }

 private:
  void take_batch(ReleaseRun& done);
  double threshold(const Vector& parameters);
  void sum_gradients(const Vector& parameters, std::span<const std::uint32_t> rows, ReleaseRun& done);
  mechanisms::Stream stream_of(mechanisms::Purpose purpose, Fault shared) const;
  mechanisms::Stream noise_stream() const;
  void add_noise(double multiplier, ReleaseRun& done);
  void add_noise_to_each(const Vector& parameters, double multiplier, ReleaseRun& done);
  void encode_each(const Vector& parameters, ReleaseRun& done);
  void count_below(ReleaseRun& done);
  void record(const ReleaseRun& release);

  const ClientData data_;
  const BatchRecipe recipe_;
  ReleaseWorkspace& workspace_;
  std::uint64_t step_ = 0;
  std::vector<ReleaseRun> releases_;
};

}  // namespace dpbudget::fl
