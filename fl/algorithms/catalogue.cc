#include "dpbudget/fl/algorithms/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/federated_averaging.h"
#include "dpbudget/fl/algorithms/scaffold.h"

namespace dpbudget::fl {

std::span<const AlgorithmEntry> all_algorithms() {
  static const FederatedAveraging averaging;
  static const Scaffold scaffold;
  static const std::array entries = {
      AlgorithmEntry{"fedavg", averaging, false, false, false},
      AlgorithmEntry{"fedsgd", averaging, false, true, false},
      AlgorithmEntry{"scaffold", scaffold, false, false, false},
      AlgorithmEntry{"scaffold-warm", scaffold, false, false, true},
      AlgorithmEntry{"dp-fedavg", averaging, true, false, false},
      AlgorithmEntry{"dp-fedsgd", averaging, true, true, false},
      AlgorithmEntry{"dp-scaffold", scaffold, true, false, false},
      AlgorithmEntry{"dp-scaffold-warm", scaffold, true, false, true},
  };
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
  if (!entry.adds_noise) return std::nullopt;
  return entry.algorithm.plan(completed(run), sizes, adversary, basis);
}

}  // namespace dpbudget::fl
