#include "dpbudget/fl/algorithms/federated_averaging.h"

#include "dpbudget/fl/algorithms/noble_claims.h"

namespace dpbudget::fl {

void FederatedAveraging::client(const Round& round, const ServerState& server, ClientState& /*state*/, Release& release,
                                Update& update) const {
  Vector& y = update.model;
  y = server.model;
  for (std::uint64_t k = 0; k < *round.run.local_steps; ++k)
    y -= round.step_size * (release.gradient(y) + round.run.regularisation * y);
  y -= server.model;
}

void FederatedAveraging::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  for (const Update& update : updates) state.model += (round.run.server_step * update.weight) * update.model;
}

std::optional<AdversaryPlan> FederatedAveraging::published(const Run& run, const Sizes& sizes,
                                                           Adversary adversary) const {
  return noble_claim(run, sizes, adversary, ControlVariates::absent);
}

std::optional<double> FederatedAveraging::published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                                            double delta) const {
  return noble_claimed_epsilon(run, sizes, adversary, delta);
}

std::optional<std::uint64_t> FederatedAveraging::published_rounds(const Run& run, const Sizes& sizes,
                                                                  Adversary adversary, double epsilon,
                                                                  double delta) const {
  return noble_claimed_rounds(run, sizes, adversary, epsilon, delta);
}

Vector weighted_sum(std::span<const Update> updates) {
  Vector sum = Vector::Zero(updates.front().model.size());
  for (const Update& update : updates) sum += update.weight * update.model;
  return sum;
}

}  // namespace dpbudget::fl
