#include "dpbudget/fl/algorithms/federated_averaging.h"

#include "dpbudget/fl/papers/noble_claims.h"

namespace dpbudget::fl {

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

}  // namespace dpbudget::fl
