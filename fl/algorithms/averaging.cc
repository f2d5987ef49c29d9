#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

void AveragingServer::prepare(const SettledRun& run, ServerState& state) const { project(run, state.model); }

void AveragingServer::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  for (const Update& update : updates) state.model += (*round.run->server_step * update.weight) * update.model;
  project(round.run, state.model);
}

void LocalSteps::client(const Round& round, const ServerState& server, ClientState& /*state*/, Release& release,
                        Update& update) const {
  Vector& y = update.model;
  y = server.model;
  for (std::uint64_t k = 0; k < round.run.local_steps(); ++k) {
    y -= round.step_size * (release.gradient(y) + round.run->regularisation * y);
    project(round.run, y);
  }
  y -= server.model;
}

Vector weighted_sum(std::span<const Update> updates) {
  Vector sum = Vector::Zero(updates.front().model.size());
  for (const Update& update : updates) sum += update.weight * update.model;
  return sum;
}

void project(const SettledRun& run, Vector& point) {
  if (!run->radius) return;
  const double norm = point.norm();
  if (norm > *run->radius) point *= *run->radius / norm;
}

}  // namespace dpbudget::fl
