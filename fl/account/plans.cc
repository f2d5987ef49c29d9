#include "dpbudget/fl/account/plans.h"

#include "dpbudget/fl/account/proven_plan.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {

std::optional<AdversaryPlan> plan(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  check(run, sizes);
  if (!run.algorithm().adds_noise()) return std::nullopt;
  if (basis == Basis::published && run.validation()) return std::nullopt;  // every paper fixes its noise in advance
  return basis == Basis::published ? catalogued(run->algorithm).claims.published(run, sizes, adversary)
                                   : proven_plan(run, sizes, adversary);
}

}  // namespace dpbudget::fl
