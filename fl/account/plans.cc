#include "dpbudget/fl/account/plans.h"

#include "dpbudget/fl/account/proven_plan.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {

std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  check(run, sizes);
  if (!find_algorithm(run.algorithm).adds_noise()) return std::nullopt;
  const Run whole = completed(run);
  return basis == Basis::published ? catalogued(run.algorithm).claims.published(whole, sizes, adversary)
                                   : proven_plan(whole, sizes, adversary);
}

}  // namespace dpbudget::fl
