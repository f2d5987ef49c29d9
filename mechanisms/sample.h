/// @file
/// Random subsets, and the events they make of what runs on them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// A uniformly random subset of `drawn` out of `population`.
struct WithoutReplacement {
  static constexpr std::string_view name = "without_replacement";
  std::uint64_t drawn = 0;
  std::uint64_t population = 0;
  friend bool operator==(const WithoutReplacement&, const WithoutReplacement&) = default;
};

/// Each of `population` joins with probability `rate`, independently.
struct Poisson {
  static constexpr std::string_view name = "poisson";
  double rate = 0;
  std::uint64_t population = 0;
  friend bool operator==(const Poisson&, const Poisson&) = default;
};

/// `drawn` independent uniform draws from `population`, any of which may be drawn several times.
struct WithReplacement {
  static constexpr std::string_view name = "with_replacement";
  std::uint64_t drawn = 0;
  std::uint64_t population = 0;
  friend bool operator==(const WithReplacement&, const WithReplacement&) = default;
};

/// A subset, and how it was drawn.
template <class Scheme>
struct Sample {
  std::vector<std::uint32_t> indices;  ///< each below the population; distinct and ascending, unless drawn with
                                       ///< replacement: then as they were drawn
  Scheme scheme;
};

/// Every subset of the size is equally likely. Takes time proportional to the population. The same stream gives the
/// same subset everywhere, which std::sample does not promise.
///
/// @source Fan, Muller, Rezucha 1962; Knuth, "Seminumerical Algorithms", section 3.4.2, Algorithm S
/// @param population  in [1, 2^32)
/// @param drawn       in [0, population]
/// @throws InvalidArgument naming population or drawn
Sample<WithoutReplacement> sample_without_replacement(std::uint64_t population, std::uint64_t drawn, Stream& stream);

/// Takes time proportional to the size of the sample, by geometric skips.
///
/// @param population  in [1, 2^32)
/// @param rate        in [0, 1]; 0 draws nothing, 1 everything. Probabilities are those of `rate` up to a relative
///                    2^-50, below what any accountant resolves
/// @throws InvalidArgument naming population or rate
Sample<Poisson> poisson_sample(std::uint64_t population, double rate, Stream& stream);

/// @param population  in [1, 2^32)
/// @param drawn       in [0, 2^32)
/// @throws InvalidArgument naming population or drawn
Sample<WithReplacement> sample_with_replacement(std::uint64_t population, std::uint64_t drawn, Stream& stream);

/// @return the node for `inner` run on the sample: the exact fraction drawn of population
/// @throws InvalidArgument naming population (when 0) or drawn (when above the population)
SampledWithoutReplacement event_of(const WithoutReplacement& scheme, Inner inner);

/// @return the node for `inner` run on the batch
/// @throws InvalidArgument naming population or draws outside their ranges
SampledWithReplacement event_of(const WithReplacement& scheme, Inner inner);

/// @return the node for `inner` run on the sample
/// @throws InvalidArgument naming rate
PoissonSampled event_of(const Poisson& scheme, Inner inner);

}  // namespace dpbudget::mechanisms
