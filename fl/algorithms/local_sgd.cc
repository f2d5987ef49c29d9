#include "dpbudget/fl/algorithms/local_sgd.h"

#include "dpbudget/fl/papers/lowy_claims.h"

namespace dpbudget::fl {

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

}  // namespace dpbudget::fl
