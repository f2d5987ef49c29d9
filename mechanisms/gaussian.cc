#include "dpbudget/mechanisms/gaussian.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::mechanisms {

GaussianNoise add_gaussian_noise(Eigen::Ref<Eigen::VectorXd> value, double noise_std, Stream& stream) {
  require(0 < noise_std && std::isfinite(noise_std), "noise_std", noise_std, "positive and finite");
  GaussianNoise done{noise_std, static_cast<std::uint64_t>(value.size()), 0};
  for (double& coordinate : value) {
    const double draw = stream.normal();
    done.sum_of_squares += draw * draw;
    coordinate += noise_std * draw;
  }
  return done;
}

Gaussian event_of(const GaussianNoise& done, double sensitivity) {
  require(0 < sensitivity && std::isfinite(sensitivity), "sensitivity", sensitivity, "positive and finite");
  const double noise_multiplier = done.noise_std / sensitivity;
  require(0 < noise_multiplier && std::isfinite(noise_multiplier), "noise_std", done.noise_std,
          "positive and finite, also divided by the sensitivity");
  return Gaussian{noise_multiplier};
}

}  // namespace dpbudget::mechanisms
