#include "dpbudget/fl/algorithms/local_optimiser.h"

#include <cmath>

namespace dpbudget::fl {

LocalOptimiser::LocalOptimiser(const SettledRun& run, double step_size, Eigen::Index dimension)
    : run_(run), step_size_(step_size) {
  if (*run->optimiser != Optimiser::sgd) first_.setZero(dimension);
  if (*run->optimiser == Optimiser::adam) second_.setZero(dimension);
}

void LocalOptimiser::step(const Vector& direction, Vector& model) {
  ++steps_;
  switch (*run_->optimiser) {
    case Optimiser::sgd:
      model -= step_size_ * direction;
      return;
    case Optimiser::momentum:
      first_ = *run_->momentum * first_ + direction;
      model -= step_size_ * first_;
      return;
    case Optimiser::adam: {
      const double beta1 = *run_->momentum;
      const double beta2 = *run_->second_momentum;
      first_ = beta1 * first_ + (1 - beta1) * direction;
      second_ = beta2 * second_ + (1 - beta2) * direction.cwiseAbs2();
      model.array() -= step_size_ * (first_.array() / (1 - std::pow(beta1, steps_))) /
                       ((second_.array() / (1 - std::pow(beta2, steps_))).sqrt() + *run_->adaptivity);
      return;
    }
  }
}

}  // namespace dpbudget::fl
