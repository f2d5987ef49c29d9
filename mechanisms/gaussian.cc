#include "dpbudget/mechanisms/gaussian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/sums.h"

namespace dpbudget::mechanisms {

GaussianNoise add_gaussian_noise(Eigen::Ref<Eigen::VectorXd> value, double noise_std, Stream& stream) {
  require(0 < noise_std && std::isfinite(noise_std), "noise_std", noise_std, "positive and finite");
  GaussianNoise done{noise_std, static_cast<std::uint64_t>(value.size()), 0};
  std::array<double, 1024> buffer;
  for (std::span<double> left(value.data(), static_cast<std::size_t>(value.size())); !left.empty();) {
    const std::span draws = std::span(buffer).first(std::min(left.size(), buffer.size()));
    stream.fill_normal(draws);
    done.sum_of_squares += sum_of_squares(draws);
    for (std::size_t i = 0; i < draws.size(); ++i) left[i] += noise_std * draws[i];
    left = left.subspan(draws.size());
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
