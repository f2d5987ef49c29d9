#include "dpbudget/fl/algorithms/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/accelerated_sgd.h"
#include "dpbudget/fl/algorithms/adaptive_averaging.h"
#include "dpbudget/fl/algorithms/federated_averaging.h"
#include "dpbudget/fl/algorithms/local_sgd.h"
#include "dpbudget/fl/algorithms/minibatch_sgd.h"
#include "dpbudget/fl/algorithms/prifedsync.h"
#include "dpbudget/fl/algorithms/scaffold.h"
#include "dpbudget/fl/proven_plan.h"

namespace dpbudget::fl {

std::span<const AlgorithmEntry> all_algorithms() {
  static const FederatedAveraging averaging;
  static const Scaffold scaffold;
  static const PriFedSync synchronising;
  static const Nfl nfl;
  static const AdaptiveNfl adaptive;
  static const MinibatchSgd minibatch;
  static const AcceleratedSgd accelerated;
  static const MultiStageSgd multi_stage;
  static const LocalSgd local;
  using enum Mechanism;
  static const std::vector<std::string_view> local_optimiser = {"optimiser", "momentum", "second_momentum",
                                                                "adaptivity", "interpolation"};
  static const std::vector<std::string_view> server_moments = {"momentum", "second_momentum", "adaptivity"};
  static const std::vector<AlgorithmEntry> entries = [] {
    std::vector<AlgorithmEntry> all;
    // The plain form, and the one with Gaussian noise on every release.
    const auto add = [&](std::string_view plain, std::string_view noisy, const Algorithm& algorithm,
                         AlgorithmEntry entry) {
      entry.algorithm = &algorithm;
      entry.name = plain;
      all.push_back(entry);
      entry.name = noisy;
      entry.mechanism = gaussian;
      all.push_back(entry);
    };
    add("fedavg", "dp-fedavg", averaging, {.scaled_step = true, .released_mean = true});
    add("fedsgd", "dp-fedsgd", averaging, {.steps = Steps::one_pass, .scaled_step = true, .released_mean = true});
    add("scaffold", "dp-scaffold", scaffold, {.scaled_step = true});
    add("scaffold-warm", "dp-scaffold-warm", scaffold, {.warm_starts = true, .scaled_step = true});
    add("prifedsync", "dp-prifedsync", synchronising,
        {.personalised = true, .takes = local_optimiser, .fills = local_optimiser});
    add("nfl", "dpnfl", nfl, {.released_mean = true});
    add("adnfl", "addpnfl", adaptive, {.released_mean = true, .takes = server_moments, .fills = server_moments});
    add("mb-sgd", "dp-mb-sgd", minibatch,
        {.steps = Steps::one, .released_mean = true, .takes = {"radius", "smoothness", "batches"}});
    add("ac-sa", "dp-ac-sa", accelerated,
        {.steps = Steps::one,
         .released_mean = true,
         .takes = {"radius", "smoothness", "batches"},
         .fills = {"smoothness"}});
    add("multi-stage-ac-sa", "dp-multi-stage-ac-sa", multi_stage,
        {.steps = Steps::one,
         .strongly_convex = true,
         .released_mean = true,
         .takes = {"radius", "smoothness", "gap", "batches"},
         .fills = {"smoothness", "gap"}});
    add("local-sgd", "dp-local-sgd", local, {.single_record = true, .takes = {"radius"}});
    all.push_back({.name = "shuffled-mb-sgd",
                   .algorithm = &minibatch,
                   .mechanism = shuffled_gaussian,
                   .steps = Steps::one,
                   .takes = {"radius", "smoothness", "batches"}});
    all.push_back({.name = "binomial-ac-sa",
                   .algorithm = &accelerated,
                   .mechanism = shuffled_binomial,
                   .steps = Steps::one,
                   .takes = {"radius", "smoothness", "batches", "granularity", "noise_bits"},
                   .fills = {"smoothness", "granularity", "noise_bits"}});
    return all;
  }();
  return entries;
}

const AlgorithmEntry& find_algorithm(std::string_view name) {
  const auto entries = all_algorithms();
  const auto found = std::ranges::find(entries, name, &AlgorithmEntry::name);
  if (found != entries.end()) return *found;
  std::vector<std::string_view> names;
  for (const AlgorithmEntry& entry : entries) names.push_back(entry.name);
  throw InvalidArgument(fmt::format("algorithm is `{}`, but must be one of {}", name, fmt::join(names, ", ")));
}

std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  check(run, sizes);
  const AlgorithmEntry& entry = find_algorithm(run.algorithm);
  if (!entry.adds_noise()) return std::nullopt;
  const Run whole = completed(run);
  return basis == Basis::published ? entry.algorithm->published(whole, sizes, adversary)
                                   : proven_plan(whole, sizes, adversary);
}

}  // namespace dpbudget::fl
