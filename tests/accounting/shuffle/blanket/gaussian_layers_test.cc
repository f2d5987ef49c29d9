#include "dpbudget/accounting/shuffle/blanket/gaussian_layers.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "accounting/random_event.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// By its definition, from all coordinates: m = (offset, 0, ..., 0).
double thinning(double noise, double offset, const std::vector<double>& z) {
  double square = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double shifted = (i == 0 ? offset : 0) + noise * z[i];
    square += shifted * shifted;
  }
  return (offset * offset + 2 * noise * offset * z[0] + 2 * std::sqrt(square)) / (2 * noise * noise);
}

RC_GTEST_PROP(GaussianLayers, HoldAllOutputsButThoseLeftOut, ()) {
  const double noise = log_uniform(1, 1e3);
  const auto dimension = static_cast<std::uint64_t>(std::floor(log_uniform(2, 10001)));
  const double left_out = log_uniform(1e-100, 0.1);
  const double least = *rc::gen::inRange(0, 8) / 8.0;
  const Layers found = gaussian_layers(noise, dimension, least, least + 0.125, left_out);
  double sum = 0;
  double last = -1;
  for (const Layer& layer : found.layers) {
    RC_ASSERT(layer.probability > 0);
    RC_ASSERT(layer.log_thinning > last);
    last = layer.log_thinning;
    sum += layer.probability;
  }
  RC_ASSERT(found.left_out <= left_out * (1 + 1e-5));
  RC_ASSERT(std::abs(sum + found.left_out - 1) <= found.left_out + 1e-9);
}

// With m = 0 the thinning is |Z| / noise, and |Z|^2 has the chi-squared law: an output that a layer holds is thinned
// out by at most what the layer says.
RC_GTEST_PROP(GaussianLayers, AreThinnedOutEnoughAtTheCentre, ()) {
  const double noise = log_uniform(1, 1e3);
  const auto dimension = static_cast<std::uint64_t>(std::floor(log_uniform(2, 1e4)));
  const Layers found = gaussian_layers(noise, dimension, 0, 0, log_uniform(1e-30, 0.1));
  double sum = 0;
  for (const Layer& layer : found.layers) {
    sum += layer.probability;
    const double norm = layer.log_thinning * noise;
    const double truth = boost::math::gamma_p((static_cast<double>(dimension) - 1) / 2, norm * norm / 2);
    RC_ASSERT(sum <= truth + 1e-9);
  }
}

// Any m in the range, by Monte Carlo: a layer's share of the draws, with all that are thinned out less, is at least its
// probability with theirs, but for five standard deviations: a false alarm has probability 3e-7.
// accounting/shuffle/blanket/proofs.md, 6.2
TEST(GaussianLayers, AreThinnedOutEnoughForEveryOffset) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int draws = 20000;
  for (const std::size_t dimension : {2, 3, 40})
    for (const double noise : {1.5, 12.0}) {
      const Layers found = gaussian_layers(noise, dimension, 0.25, 0.75, 1e-6);
      for (const double offset : {0.25, 0.6, 0.75}) {
        std::vector<int> within(found.layers.size());
        for (int i = 0; i < draws; ++i) {
          std::vector<double> z(dimension - 1);
          for (double& coordinate : z) coordinate = normal(random);
          const double value = thinning(noise, offset, z);
          for (std::size_t k = 0; k < within.size(); ++k) within[k] += value <= found.layers[k].log_thinning ? 1 : 0;
        }
        double sum = 0;
        for (std::size_t k = 0; k < within.size(); ++k) {
          sum += found.layers[k].probability;
          const double deviation = std::sqrt(std::max(sum * (1 - sum), 1.0 / draws) / draws);
          EXPECT_GE(static_cast<double>(within[k]) / draws, sum - 5 * deviation) << dimension << ' ' << noise;
        }
      }
    }
}

}  // namespace
}  // namespace dpbudget::shuffle
