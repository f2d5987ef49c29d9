#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

void AveragingServer::prepare(const SettledRun& run, ServerState& state) const { project(run, state.model); }

void AveragingServer::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const double step = round.run.options<AveragingOptions>().server_step * round.server_factor;
  for (const Update& update : updates) state.model += (step * update.weight) * update.model;
  project(round.run, state.model);
}

void LocalSteps::client(const Round& round, const ServerState& server, ClientState& /*state*/, Release& release,
                        Update& update) const {
  const std::optional<double> radius = radius_of(round.run);
  Vector& y = update.model;
  y = server.model;
  for (std::uint64_t k = 0; k < round.run.local_steps(); ++k) {
    y -= round.step_size_of(k) * (release.gradient(y) + round.run->regularisation * y);
    project(radius, y);
  }
  y -= server.model;
}

Vector weighted_sum(std::span<const Update> updates) {
  Vector sum = Vector::Zero(updates.front().model.size());
  for (const Update& update : updates) sum += update.weight * update.model;
  return sum;
}

std::optional<double> radius_of(const SettledRun& run) {
  const auto* options = run.find_options<RadiusOption>();
  return options == nullptr ? std::nullopt : options->radius;
}

void project(std::optional<double> radius, Vector& point) {
  if (!radius) return;
  const double norm = point.norm();
  if (norm > *radius) point *= *radius / norm;
}

}  // namespace dpbudget::fl
