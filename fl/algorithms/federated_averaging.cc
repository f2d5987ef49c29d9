#include "dpbudget/fl/algorithms/federated_averaging.h"

#include "dpbudget/fl/algorithms/noble_plans.h"

namespace dpbudget::fl {

void FederatedAveraging::client(const Round& round, const ServerState& server, ClientState&, Release& release,
                                Update& update) const {
  Vector& y = update.model;
  y = server.model;
  for (std::uint64_t k = 0; k < round.local_steps; ++k)
    y -= round.step_size * (release.gradient(y) + round.regularisation * y);
  y -= server.model;
}

void FederatedAveraging::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const double weight = round.server_step / static_cast<double>(updates.size());
  for (const Update& update : updates) state.model += weight * update.model;
}

std::optional<AdversaryPlan> FederatedAveraging::plan(const Run& run, const Sizes& sizes, Adversary adversary,
                                                      Basis basis) const {
  return noble_plan(run, sizes, adversary, basis, ControlVariates::absent);
}

}  // namespace dpbudget::fl
