/// @file
/// The algorithms by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "dpbudget/fl/adversary.h"

namespace dpbudget::fl {

class Algorithm;
struct Run;

struct AlgorithmEntry {
  std::string_view name;
  const Algorithm& algorithm;
  bool adds_noise;   ///< the dp- variants
  bool one_pass;     ///< the -fedsgd variants: K s = 1
  bool warm_starts;  ///< the -warm variants
};

std::span<const AlgorithmEntry> all_algorithms();

/// @throws InvalidArgument naming algorithm and listing the names there are
const AlgorithmEntry& find_algorithm(std::string_view name);

/// What `run` releases about one client, as Algorithm::plan says, once the run's own values have been checked.
/// @throws InvalidArgument naming the value of `run` or `sizes` that is out of range
std::optional<AdversaryPlan> plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis);

}  // namespace dpbudget::fl
