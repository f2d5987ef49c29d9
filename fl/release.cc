#include "dpbudget/fl/release.h"

#include <cmath>

#include "dpbudget/accounting/require.h"
#include "dpbudget/mechanisms/gaussian.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {

using mechanisms::Purpose;
using mechanisms::Stream;

BatchRelease::BatchRelease(const ClientData& data, const BatchRecipe& recipe, ReleaseWorkspace& workspace)
    : data_(data), recipe_(recipe), workspace_(workspace) {
  require(1 <= recipe.sample && recipe.sample <= data.rows.size(), "sample", recipe.sample,
          "in [1, records of the client]");
  require(0 <= recipe.noise_std && std::isfinite(recipe.noise_std), "noise_std", recipe.noise_std,
          "at least 0 and finite");
  require(0 < recipe.clip_norm && std::isfinite(recipe.clip_norm) == (0 < recipe.noise_std), "clip_norm",
          recipe.clip_norm, "positive, and finite if and only if there is noise");
}

const Vector& BatchRelease::gradient(const Vector& parameters) {
  ++step_;
  const auto stream = [&](Purpose purpose) { return Stream({data_.seed, purpose, data_.round, data_.client, step_}); };
  Stream sampling = stream(Purpose::record_sampling);
  const auto sample = mechanisms::sample_without_replacement(data_.rows.size(), recipe_.sample, sampling);
  workspace_.batch.clear();
  for (const std::uint32_t index : sample.indices) workspace_.batch.push_back(data_.rows[index]);

  Vector& mean = workspace_.gradient;
  mean.resize(data_.model.dimension());
  ReleaseRun done;
  done.count = 1;
  done.largest_norm = data_.model.clipped_gradient_sum(parameters, data_.train, workspace_.batch, recipe_.clip_norm,
                                                       workspace_.model, mean);
  mean /= static_cast<double>(sample.scheme.drawn);
  done.mechanism = ReleaseRun::no_guarantee;
  done.clip_norm = recipe_.clip_norm;
  done.sample = sample.scheme.drawn;
  done.population = sample.scheme.population;
  done.scheme = sample.scheme.name;
  done.coordinates = static_cast<std::uint64_t>(mean.size());
  if (0 < recipe_.noise_std) {
    workspace_.noiseless = mean;
    Stream noise = stream(Purpose::noise);
    done.noise_std = mechanisms::add_gaussian_noise(mean, recipe_.noise_std, noise).noise_std;
    done.mechanism = ReleaseRun::gaussian;
    // Measured on what leaves, not taken from what the mechanism says, so that the variance test has something to find.
    done.noise_sum_of_squares = (mean - workspace_.noiseless).squaredNorm();
  }
  record(done);
  return mean;
}

void BatchRelease::record(const ReleaseRun& release) {
  if (releases_.empty()) {
    releases_.push_back(release);
    return;
  }
  // One client's recipe, and so everything but the measurements, is fixed for the round.
  ReleaseRun& run = releases_.back();
  run.count += release.count;
  run.largest_norm = std::max(run.largest_norm, release.largest_norm);
  run.noise_sum_of_squares += release.noise_sum_of_squares;
}

}  // namespace dpbudget::fl
