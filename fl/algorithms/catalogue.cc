#include "dpbudget/fl/algorithms/catalogue.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

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

// Who trains under a name, and who claims.
using Entries =
    std::map<std::string, std::pair<std::shared_ptr<const Algorithm>, std::shared_ptr<const Claims>>, std::less<>>;

Entries own_entries() {
  const auto averaging = std::make_shared<const FederatedAveraging>();
  const auto scaffold = std::make_shared<const Scaffold>();
  const auto synchronising = std::make_shared<const PriFedSync>();
  const auto nfl = std::make_shared<const Nfl>();
  const auto adaptive = std::make_shared<const AdaptiveNfl>();
  const auto minibatch = std::make_shared<const MinibatchSgd>();
  const auto accelerated = std::make_shared<const AcceleratedSgd>();
  const auto multi_stage = std::make_shared<const MultiStageSgd>();
  const auto local = std::make_shared<const LocalSgd>();
  const auto noble = std::make_shared<const NobleClaims>(ControlVariates::absent);
  const auto noble_or_chang = std::make_shared<const NobleClaims>(ControlVariates::present);
  const auto zheng = std::make_shared<const ZhengClaims>();
  const auto chen = std::make_shared<const ChenClaims>();
  const auto lowy = std::make_shared<const LowyClaims>();
  return {
      {"fedavg", {averaging, noble}},
      {"dp-fedavg", {averaging, noble}},
      {"fedsgd", {averaging, noble}},
      {"dp-fedsgd", {averaging, noble}},
      {"scaffold", {scaffold, noble_or_chang}},
      {"dp-scaffold", {scaffold, noble_or_chang}},
      {"scaffold-warm", {scaffold, noble_or_chang}},
      {"dp-scaffold-warm", {scaffold, noble_or_chang}},
      {"prifedsync", {synchronising, zheng}},
      {"dp-prifedsync", {synchronising, zheng}},
      {"nfl", {nfl, chen}},
      {"dpnfl", {nfl, chen}},
      {"adnfl", {adaptive, chen}},
      {"addpnfl", {adaptive, chen}},
      {"mb-sgd", {minibatch, lowy}},
      {"dp-mb-sgd", {minibatch, lowy}},
      {"ac-sa", {accelerated, lowy}},
      {"dp-ac-sa", {accelerated, lowy}},
      {"multi-stage-ac-sa", {multi_stage, lowy}},
      {"dp-multi-stage-ac-sa", {multi_stage, lowy}},
      {"local-sgd", {local, lowy}},
      {"dp-local-sgd", {local, lowy}},
      {"shuffled-mb-sgd", {minibatch, lowy}},
      {"binomial-ac-sa", {accelerated, lowy}},
  };
}

Entries& registry() {
  static Entries all = own_entries();
  return all;
}

}  // namespace

CatalogueEntry catalogued(std::string_view name) {
  const auto& [algorithm, claims] = registry().find(find_algorithm(name).name)->second;
  return {*algorithm, *claims};
}

void add_algorithm(AlgorithmTraits traits, std::unique_ptr<const Algorithm> algorithm,
                   std::unique_ptr<const Claims> claims) {
  const std::string name = add_traits(std::move(traits)).name;
  registry().emplace(name, std::pair(std::move(algorithm), std::move(claims)));
}

}  // namespace dpbudget::fl
