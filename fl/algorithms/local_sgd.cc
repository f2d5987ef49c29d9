#include "dpbudget/fl/algorithms/local_sgd.h"

#include "dpbudget/fl/algorithms/lowy_claims.h"
#include "dpbudget/fl/algorithms/minibatch_sgd.h"

namespace dpbudget::fl {

void LocalSgd::client(const Round& round, const ServerState& server, ClientState& /*state*/, Release& release,
                      Update& update) const {
  Vector& y = update.model;
  y = server.model;
  for (std::uint64_t k = 0; k < *round.run.local_steps; ++k) {
    y -= round.step_size * (release.gradient(y) + round.run.regularisation * y);
    project(round.run, y);
  }
  y -= server.model;
}

std::optional<AdversaryPlan> LocalSgd::published(const Run& run, const Sizes& sizes, Adversary adversary) const {
  return lowy_claim(run, sizes, adversary);
}

std::optional<double> LocalSgd::published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                                  double delta) const {
  return lowy_claimed_epsilon(run, sizes, adversary, delta);
}

std::optional<double> LocalSgd::published_noise(const Run& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                                double delta) const {
  return lowy_noise(run, sizes, adversary, epsilon, delta);
}

std::optional<std::uint64_t> LocalSgd::published_rounds(const Run& /*run*/, const Sizes& /*sizes*/,
                                                        Adversary /*adversary*/, double /*epsilon*/,
                                                        double /*delta*/) const {
  return std::nullopt;
}

}  // namespace dpbudget::fl
