#include "dpbudget/mechanisms/sample.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::mechanisms {
namespace {

void require_indexable(std::uint64_t population) {
  require(1 <= population && population <= std::numeric_limits<std::uint32_t>::max(), "population", population,
          "in [1, 2^32)");
}

}  // namespace

Sample<WithoutReplacement> sample_without_replacement(std::uint64_t population, std::uint64_t drawn, Stream& stream) {
  require_indexable(population);
  require(drawn <= population, "drawn", drawn, "at most the population");
  Sample<WithoutReplacement> sample{{}, {drawn, population}};
  // Each index is written down and the next one over it unless it is taken: no machine guesses which are.
  std::vector<std::uint32_t>& indices = sample.indices;
  indices.resize(drawn + 1);
  std::uint64_t taken = 0;
  const auto take_with = [&](std::uint64_t index, std::uint64_t random) {
    indices[taken] = static_cast<std::uint32_t>(index);
    taken += static_cast<std::uint64_t>(random < drawn - taken);
  };
  // An index is taken with the probability that it has given those before it. One random number decides two of them:
  // which ones a seed draws is part of what ledgers promise, so this stays as it is.
  std::uint64_t index = 0;
  for (; taken < drawn && population - index >= 2; index += 2) {
    const std::uint64_t left = population - index;
    const auto [one, other] = stream.below(left, left - 1);
    take_with(index, one);
    take_with(index + 1, other);
  }
  if (taken < drawn) {
    stream.below(1);
    take_with(index, 0);
  }
  indices.resize(drawn);
  return sample;
}

Sample<Poisson> poisson_sample(std::uint64_t population, double rate, Stream& stream) {
  require_indexable(population);
  require(0 <= rate && rate <= 1, "rate", rate, "in [0, 1]");
  Sample<Poisson> sample{{}, {rate, population}};
  if (rate == 0) return sample;
  // P(skip >= k) = (1 - rate)^k. Compared as doubles, because a skip may be far beyond any integer; a rate of 1 gives
  // a divisor of -infinity and skips of 0.
  const double log_absent = std::log1p(-rate);
  double index = -1;
  while (true) {
    index += 1 + std::floor(std::log1p(-stream.uniform()) / log_absent);
    if (!(index < static_cast<double>(population))) return sample;
    sample.indices.push_back(to_integer<std::uint32_t>(index, "index"));
  }
}

Sample<WithReplacement> sample_with_replacement(std::uint64_t population, std::uint64_t drawn, Stream& stream) {
  require_indexable(population);
  require(drawn <= std::numeric_limits<std::uint32_t>::max(), "drawn", drawn, "below 2^32");
  Sample<WithReplacement> sample{{}, {drawn, population}};
  sample.indices.reserve(drawn);
  while (sample.indices.size() < drawn) sample.indices.push_back(static_cast<std::uint32_t>(stream.below(population)));
  return sample;
}

SampledWithoutReplacement event_of(const WithoutReplacement& scheme, Inner inner) {
  require(1 <= scheme.population, "population", scheme.population, "at least 1");
  require(scheme.drawn <= scheme.population, "drawn", scheme.drawn, "at most the population");
  return {Rate(scheme.drawn, scheme.population), std::move(inner)};
}

SampledWithReplacement event_of(const WithReplacement& scheme, Inner inner) {
  ranges::draws(scheme.drawn);
  ranges::population(scheme.population);
  return {{scheme.drawn, scheme.population}, std::move(inner)};
}

PoissonSampled event_of(const Poisson& scheme, Inner inner) {
  require(0 <= scheme.rate && scheme.rate <= 1, "rate", scheme.rate, "in [0, 1]");
  return {Rate(scheme.rate), std::move(inner)};
}

}  // namespace dpbudget::mechanisms
