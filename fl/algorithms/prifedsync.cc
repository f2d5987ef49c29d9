#include "dpbudget/fl/algorithms/prifedsync.h"

#include "dpbudget/fl/algorithms/local_optimiser.h"

namespace dpbudget::fl {
void PriFedSync::client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                        Update& update) const {
  const double alpha = *round.run->interpolation;
  Vector& own = state.model;
  if (own.size() == 0)
    own = server.model;
  else
    own = (1 - alpha) * own + alpha * server.model;
  LocalOptimiser optimiser(round.run, round.step_size, own.size());
  for (std::uint64_t k = 0; k < round.run.local_steps(); ++k)
    optimiser.step(release.gradient(own) + round.run->regularisation * own, own);
  update.model = own - server.model;
}

}  // namespace dpbudget::fl
