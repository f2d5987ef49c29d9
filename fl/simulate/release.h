/// @file
/// The only door through which a client's records influence anything: it samples, clips, adds noise and keeps the
/// books.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/round/records.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/simulate/fault.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// Which client's records, in which round.
struct ClientData {
  const Model& model;
  const Dataset& train;
  std::span<const std::uint32_t> rows;  ///< of `train`, which the client holds
  std::uint64_t seed;
  std::uint64_t round;
  std::uint64_t client;
};

/// Memory that the releases of one thread share, so that a step allocates nothing for the model's dimension.
struct ReleaseWorkspace {
  std::unique_ptr<Model::Workspace> model;
  std::vector<std::uint32_t> batch;
  std::vector<double> norms;
  Vector gradient;
  GaussianStds gaussian_stds;
};

/// Batches of fixed size, gradients clipped record by record, noise on their mean or on each of them. Draws are keyed
/// by (seed, purpose, round, client, step), steps counted from 1.
/// @source Noble et al. 2022, Algorithm 1, lines 8 to 14
class BatchRelease final : public Release {
 public:
  /// @param fault  a mistake to commit
  /// @throws InvalidArgument naming sample, clip, noise or steps
  BatchRelease(const ClientData& data, const BatchRecipe& recipe, ReleaseWorkspace& workspace,
               Fault fault = Fault::none);

  /// @throws InvalidArgument naming steps, when there is no noise left for another one
  const Vector& gradient(const Vector& parameters) override;

  /// @return what was released so far
  const std::vector<ReleaseRun>& releases() const { return releases_; }

 private:
  void take_batch(ReleaseRun& done);
  void take_from_order(const std::vector<std::uint32_t>& order, std::uint64_t first, ReleaseRun& done);
  double threshold(const Vector& parameters);
  void sum_gradients(const Vector& parameters, std::span<const std::uint32_t> rows, ReleaseRun& done);
  mechanisms::Stream stream_of(mechanisms::Purpose purpose, Fault shared) const;
  mechanisms::Stream noise_stream() const;
  double noise_added(const ReleaseRun& done) const;
  void add_noise(double multiplier, ReleaseRun& done);
  void add_noise_to_each(const Vector& parameters, double multiplier, ReleaseRun& done);
  void encode_each(const Vector& parameters, ReleaseRun& done);
  void count_below(ReleaseRun& done);
  void record(const ReleaseRun& release);

  const ClientData data_;
  const BatchRecipe recipe_;
  ReleaseWorkspace& workspace_;
  const Fault fault_;
  std::uint64_t step_ = 0;
  std::vector<std::uint32_t> order_;  // shuffled: of the pass that is under way
  std::vector<ReleaseRun> releases_;
};

}  // namespace dpbudget::fl
