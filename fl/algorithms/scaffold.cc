#include "dpbudget/fl/algorithms/scaffold.h"

#include "dpbudget/fl/algorithms/noble_plans.h"

namespace dpbudget::fl {

void Scaffold::client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                      Update& update) const {
  Vector& y = update.model;
  y = server.model;
  Vector& mean_direction = update.control;
  mean_direction.setZero(y.size());
  // A warm start estimates the gradient at the initial model, so there the local model stays where it is.
  const double step_size = round.phase == Phase::training ? round.step_size : 0;
  for (std::uint64_t k = 0; k < round.local_steps; ++k) {
    const Vector& gradient = release.gradient(y);
    mean_direction += gradient + round.regularisation * y;
    y -= step_size * (gradient + round.regularisation * y + server.control - state.control);
  }
  y -= server.model;
  mean_direction /= static_cast<double>(round.local_steps);
  // Afterwards state.control holds the new c_i and update.control, alias mean_direction, the difference that is sent.
  mean_direction -= state.control;
  state.control += mean_direction;
}

void Scaffold::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const double weight = round.server_step / static_cast<double>(updates.size());
  // The paper's l Delta c with l read as participants / clients, which keeps c the mean of all c_i when l M is no
  // integer.
  const double control_weight = 1 / static_cast<double>(round.clients);
  for (const Update& update : updates) {
    state.model += weight * update.model;
    state.control += control_weight * update.control;
  }
}

std::optional<AdversaryPlan> Scaffold::plan(const Run& run, const Sizes& sizes, Adversary adversary,
                                            Basis basis) const {
  return noble_plan(run, sizes, adversary, basis, ControlVariates::present);
}

}  // namespace dpbudget::fl
