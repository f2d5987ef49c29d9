#include "dpbudget/fl/algorithms/local_optimiser.h"

#include <cmath>

namespace dpbudget::fl {

LocalOptimiser::LocalOptimiser(const LocalOptimiserOptions& options, Eigen::Index dimension) : options_(options) {
  if (options.optimiser != Optimiser::sgd) first_.setZero(dimension);
  if (options.optimiser == Optimiser::adam) second_.setZero(dimension);
}

void LocalOptimiser::step(double step_size, const Vector& direction, Vector& model) {
  ++steps_;
  switch (options_.optimiser) {
    case Optimiser::sgd:
      model -= step_size * direction;
      return;
    case Optimiser::momentum:
      first_ = options_.momentum * first_ + direction;
      model -= step_size * first_;
      return;
    case Optimiser::adam: {
      const double beta1 = options_.momentum;
      const double beta2 = options_.second_momentum;
      first_ = beta1 * first_ + (1 - beta1) * direction;
      second_ = beta2 * second_ + (1 - beta2) * direction.cwiseAbs2();
      model.array() -= step_size * (first_.array() / (1 - std::pow(beta1, steps_))) /
                       ((second_.array() / (1 - std::pow(beta2, steps_))).sqrt() + options_.adaptivity);
      return;
    }
  }
}

}  // namespace dpbudget::fl
