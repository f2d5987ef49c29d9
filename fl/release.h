/// @file
/// The only door through which a client's records influence anything: it samples, clips, adds noise and keeps the
/// books.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/softmax_regression.h"

namespace dpbudget::fl {

using Vector = Eigen::VectorXd;

/// Releases that a client made one after the other by the same recipe.
struct ReleaseRun {
  static constexpr std::string_view gaussian = "gaussian";
  static constexpr std::string_view no_guarantee = "none";

  std::uint64_t count = 0;
  std::string mechanism;            ///< `gaussian`, or `no_guarantee`: released as it is, for which no plan exists
  double noise_std = 0;             ///< in every coordinate of the mean gradient; 0 without a guarantee
  double clip_norm = 0;             ///< infinite without a guarantee
  double largest_norm = 0;          ///< of a record's gradient before clipping. Not private: for the auditor only
  std::uint64_t sample = 0;         ///< records in a batch
  std::uint64_t population = 0;     ///< records that a batch is drawn from
  std::string scheme;               ///< how: mechanisms::WithoutReplacement::name
  std::uint64_t coordinates = 0;    ///< of one release
  double noise_sum_of_squares = 0;  ///< of the noise found in all `count` releases, in their units, not in noise_std

  friend bool operator==(const ReleaseRun&, const ReleaseRun&) = default;
};

/// What an algorithm's client sees of its own data.
class Release {
 public:
  virtual ~Release() = default;

  /// The mean gradient of the loss over a fresh batch, at `parameters`, as it may leave the client: every use of the
  /// result is post-processing. It stays valid until the next call.
  virtual const Vector& gradient(const Vector& parameters) = 0;
};

/// How a client releases one batch.
struct BatchRecipe {
  std::uint64_t sample;  ///< records in a batch, in [1, records of the client]
  double clip_norm;      ///< positive; infinite if and only if noise_std is 0
  double noise_std;      ///< of the mean of the clipped gradients; 0 adds nothing and gives no guarantee
};

/// Which client's records, in which round.
struct ClientData {
  const SoftmaxRegression<double>& model;
  const Dataset& train;
  std::span<const std::uint32_t> rows;  ///< of `train`, which the client holds
  std::uint64_t seed;
  std::uint64_t round;
  std::uint64_t client;
};

/// Memory that the releases of one thread share, so that a step allocates nothing for the model's dimension.
struct ReleaseWorkspace {
  SoftmaxRegression<double>::Workspace model;
  std::vector<std::uint32_t> batch;
  Vector gradient;
  Vector noiseless;
};

/// Batches of fixed size drawn without replacement, gradients clipped record by record, Gaussian noise on their mean.
/// Draws are keyed by (seed, purpose, round, client, step), steps counted from 1.
/// @source Noble et al. 2022, Algorithm 1, lines 8 to 14
class BatchRelease final : public Release {
 public:
  /// @throws InvalidArgument naming sample, clip_norm or noise_std
  BatchRelease(const ClientData& data, const BatchRecipe& recipe, ReleaseWorkspace& workspace);

  const Vector& gradient(const Vector& parameters) override;

  /// @return what was released so far
  const std::vector<ReleaseRun>& releases() const { return releases_; }

 private:
  void record(const ReleaseRun& release);

  const ClientData data_;
  const BatchRecipe recipe_;
  ReleaseWorkspace& workspace_;
  std::uint64_t step_ = 0;
  std::vector<ReleaseRun> releases_;
};

}  // namespace dpbudget::fl
