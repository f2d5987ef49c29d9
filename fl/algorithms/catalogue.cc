#include "dpbudget/fl/algorithms/catalogue.h"

#include <map>

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
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {

CatalogueEntry catalogued(std::string_view name) {
  static const FederatedAveraging averaging;
  static const Scaffold scaffold;
  static const PriFedSync synchronising;
  static const Nfl nfl;
  static const AdaptiveNfl adaptive;
  static const MinibatchSgd minibatch;
  static const AcceleratedSgd accelerated;
  static const MultiStageSgd multi_stage;
  static const LocalSgd local;
  static const NobleClaims noble(ControlVariates::absent);
  static const NobleClaims noble_or_chang(ControlVariates::present);
  static const ZhengClaims zheng;
  static const ChenClaims chen;
  static const LowyClaims lowy;
  static const std::map<std::string_view, CatalogueEntry> entries = {
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
  return entries.at(find_algorithm(name).name);
}

}  // namespace dpbudget::fl
