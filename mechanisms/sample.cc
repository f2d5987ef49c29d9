#include "dpbudget/mechanisms/sample.h"

#include <algorithm>
#include <boost/iterator/counting_iterator.hpp>
#include <cmath>
#include <limits>
#include <utility>

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
  sample.indices.resize(drawn);
  // Boost's iterator: the standard's over iota has only an input iterator's category, for which std::sample loses the
  // order.
  using Index = boost::counting_iterator<std::uint32_t>;
  std::sample(Index(0), Index(static_cast<std::uint32_t>(population)), sample.indices.begin(),
              static_cast<std::ptrdiff_t>(drawn), stream);
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

SampledWithoutReplacement event_of(const WithoutReplacement& scheme, Inner inner) {
  require(1 <= scheme.population, "population", scheme.population, "at least 1");
  require(scheme.drawn <= scheme.population, "drawn", scheme.drawn, "at most the population");
  return {Rate(scheme.drawn, scheme.population), std::move(inner)};
}

PoissonSampled event_of(const Poisson& scheme, Inner inner) {
  require(0 <= scheme.rate && scheme.rate <= 1, "rate", scheme.rate, "in [0, 1]");
  return {Rate(scheme.rate), std::move(inner)};
}

}  // namespace dpbudget::mechanisms
