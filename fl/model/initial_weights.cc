#include "dpbudget/fl/model/initial_weights.h"

#include <cmath>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

void draw_weights(std::uint64_t seed, std::uint64_t layer, double variance, Eigen::Ref<Vector> weights) {
  mechanisms::Stream stream({seed, mechanisms::Purpose::initialisation, 0, 0, layer});
  const double bound = std::sqrt(3 * variance);
  for (double& weight : weights) weight = bound * (2 * stream.uniform() - 1);
}

}  // namespace dpbudget::fl
