#include "dpbudget/fl/algorithms/catalogue.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/fl/algorithms/accelerated_sgd.h"
#include "dpbudget/fl/algorithms/adaptive_averaging.h"
#include "dpbudget/fl/algorithms/federated_averaging.h"
#include "dpbudget/fl/algorithms/local_sgd.h"
#include "dpbudget/fl/algorithms/minibatch_sgd.h"
#include "dpbudget/fl/algorithms/prifedsync.h"
#include "dpbudget/fl/algorithms/scaffold.h"
#include "dpbudget/fl/papers/chen_claims.h"
#include "dpbudget/fl/papers/lowy_claims.h"
#include "dpbudget/fl/papers/noble_claims.h"
#include "dpbudget/fl/papers/zheng_claims.h"

namespace dpbudget::fl {

namespace {

struct Entry {
  AlgorithmTraits traits;
  std::shared_ptr<const Algorithm> algorithm;
  std::shared_ptr<const Claims> claims;
};

using Trains = std::shared_ptr<const Algorithm>;
using Claimed = std::shared_ptr<const Claims>;

// The table of this library's algorithms.
std::vector<Entry> all_entries() {
  const Trains averaging = std::make_shared<FederatedAveraging>();
  const Trains scaffold = std::make_shared<Scaffold>();
  const Trains minibatch = std::make_shared<MinibatchSgd>();
  const Trains accelerated = std::make_shared<AcceleratedSgd>();
  const Claimed noble = std::make_shared<NobleClaims>(ControlVariates::absent);
  const Claimed noble_or_chang = std::make_shared<NobleClaims>(ControlVariates::present);
  const Claimed chen = std::make_shared<ChenClaims>();
  const Claimed lowy = std::make_shared<LowyClaims>();
  const Trains multi_stage = std::make_shared<MultiStageSgd>();

  std::vector<Entry> all;
  const auto add = [&](const char* name, Mechanism mechanism, AlgorithmTraits traits, const Trains& algorithm,
                       const Claimed& claims) {
    traits.name = name;
    traits.mechanism = mechanism;
    traits.options = algorithm->options();
    all.push_back({std::move(traits), algorithm, claims});
  };
  // The plain form, and the one with Gaussian noise on every release.
  const auto add_both = [&](const char* plain, const char* noisy, const AlgorithmTraits& traits,
                            const Trains& algorithm, const Claimed& claims) {
    add(plain, Mechanism::none, traits, algorithm, claims);
    add(noisy, Mechanism::gaussian, traits, algorithm, claims);
  };
  add_both("fedavg", "dp-fedavg", {.scaled_step = true, .released_mean = true, .analysis = Analysis::noble_averaging},
           averaging, noble);
  add_both(
      "fedsgd", "dp-fedsgd",
      {.steps = Steps::one_pass, .scaled_step = true, .released_mean = true, .analysis = Analysis::noble_averaging},
      averaging, noble);
  add_both("scaffold", "dp-scaffold", {.scaled_step = true, .analysis = Analysis::chang}, scaffold, noble_or_chang);
  add_both("scaffold-warm", "dp-scaffold-warm",
           {.warm_starts = true, .scaled_step = true, .analysis = Analysis::noble_scaffold}, scaffold, noble_or_chang);
  add_both("prifedsync", "dp-prifedsync", {.personalised = true}, std::make_shared<PriFedSync>(),
           std::make_shared<ZhengClaims>());
  add_both("nfl", "dpnfl", {.released_mean = true, .analysis = Analysis::chen}, std::make_shared<Nfl>(), chen);
  add_both("adnfl", "addpnfl", {.released_mean = true, .analysis = Analysis::chen_adaptive},
           std::make_shared<AdaptiveNfl>(), chen);
  add_both("mb-sgd", "dp-mb-sgd",
           {.steps = Steps::one, .disjoint_batches = true, .released_mean = true, .analysis = Analysis::lowy_minibatch},
           minibatch, lowy);
  add_both(
      "ac-sa", "dp-ac-sa",
      {.steps = Steps::one, .disjoint_batches = true, .released_mean = true, .analysis = Analysis::lowy_accelerated},
      accelerated, lowy);
  add_both("multi-stage-ac-sa", "dp-multi-stage-ac-sa",
           {.steps = Steps::one,
            .disjoint_batches = true,
            .strongly_convex = true,
            .released_mean = true,
            .analysis = Analysis::lowy_multi_stage},
           multi_stage, lowy);
  add_both("local-sgd", "dp-local-sgd", {.single_record = true, .analysis = Analysis::lowy_local},
           std::make_shared<LocalSgd>(), lowy);
  add("shuffled-mb-sgd", Mechanism::shuffled_gaussian,
      {.steps = Steps::one, .disjoint_batches = true, .analysis = Analysis::lowy_minibatch}, minibatch, lowy);
  add("binomial-ac-sa", Mechanism::shuffled_binomial,
      {.steps = Steps::one, .disjoint_batches = true, .analysis = Analysis::lowy_accelerated}, accelerated, lowy);
  add("binomial-multi-stage-ac-sa", Mechanism::shuffled_binomial,
      {.steps = Steps::one, .disjoint_batches = true, .strongly_convex = true, .analysis = Analysis::lowy_multi_stage},
      multi_stage, lowy);
  return all;
}

const std::vector<Entry>& own_entries() {
  static const std::vector<Entry> all = all_entries();
  return all;
}

// Who trains under a name, and who claims.
using Registry = std::map<std::string, std::pair<Trains, Claimed>, std::less<>>;

Registry& registry() {
  static Registry all = [] {
    Registry own;
    for (const Entry& entry : own_entries()) own.emplace(entry.traits.name, std::pair(entry.algorithm, entry.claims));
    return own;
  }();
  return all;
}

}  // namespace

std::deque<AlgorithmTraits> own_algorithms() {
  std::deque<AlgorithmTraits> traits;
  for (const Entry& entry : own_entries()) traits.push_back(entry.traits);
  return traits;
}

CatalogueEntry catalogued(std::string_view name) {
  const auto& [algorithm, claims] = registry().find(find_algorithm(name).name)->second;
  return {*algorithm, *claims};
}

void add_algorithm(AlgorithmTraits traits, std::unique_ptr<const Algorithm> algorithm,
                   std::unique_ptr<const Claims> claims) {
  traits.options = algorithm->options();
  const std::string name = add_traits(std::move(traits)).name;
  registry().emplace(name, std::pair(std::move(algorithm), std::move(claims)));
}

}  // namespace dpbudget::fl
