#include "dpbudget/fl/algorithms/scaffold.h"

namespace dpbudget::fl {

void Scaffold::prepare(const SettledRun& /*run*/, ServerState& state) const {
  state.control.setZero(state.model.size());
}

void Scaffold::client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                      Update& update) const {
  if (state.control.size() == 0) state.control.setZero(server.model.size());
  Vector& y = update.model;
  y = server.model;
  Vector& mean_direction = update.control;
  mean_direction.setZero(y.size());
  // A warm start estimates the gradient at the initial model, so there the local model stays where it is.
  const bool is_training = round.phase == Phase::training;
  for (std::uint64_t k = 0; k < round.run.local_steps(); ++k) {
    const Vector& gradient = release.gradient(y);
    const double step_size = is_training ? round.step_size_of(k) : 0;
    const double regularisation = round.run->regularisation;
    // In one pass, for long vectors come from far.
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      const double direction = gradient[j] + regularisation * y[j];
      mean_direction[j] += direction;
      y[j] -= step_size * (direction + server.control[j] - state.control[j]);
    }
  }
  y -= server.model;
  mean_direction /= static_cast<double>(round.run.local_steps());
  // Afterwards state.control holds the new c_i and update.control, alias mean_direction, the difference that is sent.
  mean_direction -= state.control;
  state.control += mean_direction;
}

void Scaffold::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  // With equal shares the paper's l Delta c, l read as participants / clients: c stays the mean of all c_i when l M is
  // no integer, and however the participants were drawn.
  const double step = round.run.options<AveragingOptions>().server_step * round.server_factor;
  for (const Update& update : updates) {
    state.model += (step * update.weight) * update.model;
    state.control += update.share * update.control;
  }
}

}  // namespace dpbudget::fl
