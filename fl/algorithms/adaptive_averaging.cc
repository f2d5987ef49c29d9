#include "dpbudget/fl/algorithms/adaptive_averaging.h"

namespace dpbudget::fl {
void AdaptiveNfl::prepare(const SettledRun& run, ServerState& state) const {
  const auto dimension = state.model.size();
  state.memory = {Vector::Zero(dimension), Vector::Constant(dimension, *run->adaptivity * *run->adaptivity)};
}

void AdaptiveNfl::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  Vector& first = state.memory[0];
  Vector& second = state.memory[1];
  const Vector delta = weighted_sum(updates);
  const double beta1 = *round.run->momentum;
  const double beta2 = *round.run->second_momentum;
  first = beta1 * first + (1 - beta1) * delta;
  second = beta2 * second + (1 - beta2) * delta.cwiseAbs2();
  state.model.array() += *round.run->server_step * first.array() / (second.array().sqrt() + *round.run->adaptivity);
}

}  // namespace dpbudget::fl
