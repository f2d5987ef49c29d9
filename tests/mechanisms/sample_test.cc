#include "dpbudget/mechanisms/sample.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

StreamKey key_of(std::uint64_t step) { return {5, Purpose::record_sampling, 0, 0, step}; }

bool ascending_below(const std::vector<std::uint32_t>& indices, std::uint64_t population) {
  return std::ranges::is_sorted(indices) && std::ranges::adjacent_find(indices) == indices.end() &&
         (indices.empty() || indices.back() < population);
}

// Probability of a statistic this large if the counts come from the expected ones.
double chi_square_p(double statistic, double degrees) {
  return cdf(complement(boost::math::chi_squared(degrees), statistic));
}

RC_GTEST_PROP(SampleWithoutReplacement, DrawsDistinctIndicesAndSaysHowMany, ()) {
  const auto population = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto drawn = *rc::gen::inRange<std::uint64_t>(0, population + 1);
  Stream stream(key_of(*rc::gen::arbitrary<std::uint64_t>()));
  const auto sample = sample_without_replacement(population, drawn, stream);
  RC_ASSERT(sample.indices.size() == drawn);
  RC_ASSERT(ascending_below(sample.indices, population));
  RC_ASSERT(sample.scheme == (WithoutReplacement{drawn, population}));
}

TEST(SampleWithoutReplacement, EverySubsetIsEquallyLikely) {
  for (const std::uint64_t drawn : {1, 2, 3, 5}) {
    std::map<std::vector<std::uint32_t>, int> counts;
    const int draws = 60000;
    Stream stream(key_of(drawn));
    for (int i = 0; i < draws; ++i) ++counts[sample_without_replacement(6, drawn, stream).indices];
    const int subsets = drawn == 1 || drawn == 5 ? 6 : drawn == 2 ? 15 : 20;
    ASSERT_EQ(counts.size(), static_cast<std::size_t>(subsets));
    const double expected = static_cast<double>(draws) / subsets;
    double statistic = 0;
    for (const auto& [subset, count] : counts) statistic += (count - expected) * (count - expected) / expected;
    EXPECT_GT(chi_square_p(statistic, subsets - 1), 1e-6) << drawn;
  }
}

// What older versions drew, by the standard library of GCC: ledgers of theirs name these participants.
#ifdef __GLIBCXX__
RC_GTEST_PROP(SampleWithoutReplacement, DrawsWhatOlderVersionsDrew, ()) {
  const auto population = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto drawn = *rc::gen::inRange<std::uint64_t>(0, population + 1);
  const StreamKey of = key_of(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::uint32_t> all(population);
  std::iota(all.begin(), all.end(), 0U);
  Stream older(of);
  std::vector<std::uint32_t> expected(drawn);
  std::sample(all.begin(), all.end(), expected.begin(), static_cast<std::ptrdiff_t>(drawn), older);
  Stream stream(of);
  RC_ASSERT(sample_without_replacement(population, drawn, stream).indices == expected);
  RC_ASSERT(stream() == older());
}
#endif

TEST(SampleWithoutReplacement, DrawsTheSameEverywhere) {
  Stream stream(key_of(7));
  EXPECT_EQ(sample_without_replacement(20, 5, stream).indices, (std::vector<std::uint32_t>{0, 5, 7, 15, 16}));
  EXPECT_EQ(sample_without_replacement(1, 1, stream).indices, (std::vector<std::uint32_t>{0}));
}

// One stream per step, as training uses it.
TEST(SampleWithoutReplacement, EveryIndexIsEquallyLikelyAcrossStreams) {
  const int draws = 20000, population = 50, drawn = 10;
  std::vector<int> counts(population);
  for (int i = 0; i < draws; ++i) {
    Stream stream(key_of(static_cast<std::uint64_t>(i)));
    for (const std::uint32_t index : sample_without_replacement(population, drawn, stream).indices) ++counts[index];
  }
  // Within a draw the counts have covariance -rate (1 - rate) / (population - 1).
  const double rate = static_cast<double>(drawn) / population;
  double statistic = 0;
  for (const int count : counts) statistic += std::pow(count - draws * rate, 2);
  statistic *= (population - 1.0) / population / (draws * rate * (1 - rate));
  EXPECT_GT(chi_square_p(statistic, population - 1), 1e-6);
  EXPECT_LT(chi_square_p(statistic, population - 1), 1 - 1e-6);
}

TEST(SampleWithoutReplacement, RefusesByName) {
  Stream stream(key_of(0));
  EXPECT_REFUSED("population", sample_without_replacement(0, 0, stream));
  EXPECT_REFUSED("population", sample_without_replacement(std::uint64_t{1} << 32, 1, stream));
  EXPECT_REFUSED("drawn", sample_without_replacement(3, 4, stream));
}

TEST(SampleWithReplacement, DrawsEveryRecordEachTimeWithTheSameProbability) {
  const int streams = 2000, population = 20, drawn = 30;
  std::vector<int> counts(population);
  std::size_t repeated = 0;
  for (int i = 0; i < streams; ++i) {
    Stream stream(key_of(static_cast<std::uint64_t>(i)));
    const auto sample = sample_with_replacement(population, drawn, stream);
    EXPECT_EQ(sample.indices.size(), 30U);
    EXPECT_EQ(sample.scheme, (WithReplacement{30, 20}));
    std::set<std::uint32_t> distinct;
    for (const std::uint32_t index : sample.indices) {
      ++counts.at(index);
      distinct.insert(index);
    }
    repeated += distinct.size() < 20 ? 1 : 0;
  }
  EXPECT_GT(repeated, 1900U);  // 30 draws rarely meet all of 20
  double statistic = 0;
  const double expected = static_cast<double>(streams) * drawn / population;
  for (const int count : counts) statistic += std::pow(count - expected, 2) / expected;
  EXPECT_GT(chi_square_p(statistic, population - 1), 1e-6);
  EXPECT_LT(chi_square_p(statistic, population - 1), 1 - 1e-6);
}

TEST(SampleWithReplacement, SaysWhatItWas) {
  EXPECT_EQ(event_of(WithReplacement{7, 5}, Event(Gaussian{1.0})),
            (SampledWithReplacement{{7, 5}, Event(Gaussian{1.0})}));
  Stream stream(key_of(0));
  EXPECT_REFUSED("population", sample_with_replacement(0, 1, stream));
  EXPECT_REFUSED("drawn", sample_with_replacement(3, std::uint64_t{1} << 32, stream));
  EXPECT_REFUSED("draws", event_of(WithReplacement{0, 5}, Event(Gaussian{1.0})));
}

RC_GTEST_PROP(PoissonSample, DrawsDistinctIndicesAndSaysHow, ()) {
  const auto population = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const double rate = *rc::gen::inRange(0, 1001) / 1000.0;
  Stream stream(key_of(*rc::gen::arbitrary<std::uint64_t>()));
  const auto sample = poisson_sample(population, rate, stream);
  RC_ASSERT(ascending_below(sample.indices, population));
  RC_ASSERT(sample.scheme == (Poisson{rate, population}));
}

TEST(PoissonSample, SizesAreBinomial) {
  const int draws = 40000, population = 12;
  for (const double rate : {0.05, 0.3, 0.9}) {
    std::vector<int> counts(population + 1);
    Stream stream(key_of(static_cast<std::uint64_t>(rate * 100)));
    for (int i = 0; i < draws; ++i) ++counts[poisson_sample(population, rate, stream).indices.size()];
    double statistic = 0, pooled_expected = 0, pooled = 0;
    int cells = 0;
    for (int size = 0; size <= population; ++size) {
      const double expected = draws * pdf(boost::math::binomial(population, rate), size);
      if (expected < 10) {
        pooled_expected += expected;
        pooled += counts[size];
        continue;
      }
      statistic += (counts[size] - expected) * (counts[size] - expected) / expected;
      ++cells;
    }
    statistic += (pooled - pooled_expected) * (pooled - pooled_expected) / pooled_expected;
    EXPECT_GT(chi_square_p(statistic, cells), 1e-6) << rate;
  }
}

TEST(PoissonSample, EverySubsetHasItsProbability) {
  const int draws = 100000;
  const double rate = 0.3;
  std::map<std::vector<std::uint32_t>, int> counts;
  Stream stream(key_of(77));
  for (int i = 0; i < draws; ++i) ++counts[poisson_sample(4, rate, stream).indices];
  ASSERT_EQ(counts.size(), 16u);
  double statistic = 0;
  for (const auto& [subset, count] : counts) {
    const auto size = static_cast<double>(subset.size());
    const double expected = draws * std::pow(rate, size) * std::pow(1 - rate, 4 - size);
    statistic += (count - expected) * (count - expected) / expected;
  }
  EXPECT_GT(chi_square_p(statistic, 15), 1e-6);
}

TEST(PoissonSample, TakesTheExtremeRates) {
  Stream stream(key_of(0));
  EXPECT_TRUE(poisson_sample(1000, 0, stream).indices.empty());
  EXPECT_EQ(poisson_sample(1000, 1, stream).indices.size(), 1000u);
  EXPECT_EQ(poisson_sample(1000, 1 - 1e-16, stream).indices.size(), 1000u);
  EXPECT_TRUE(poisson_sample(1000, 1e-300, stream).indices.empty());
  // 4e9 records at 1e-8: 40 expected, 100 with probability 1e-14.
  const auto rare = poisson_sample(4000000000, 1e-8, stream);
  EXPECT_GT(rare.indices.size(), 5u);
  EXPECT_LT(rare.indices.size(), 100u);
}

TEST(PoissonSample, RefusesByName) {
  Stream stream(key_of(0));
  EXPECT_REFUSED("population", poisson_sample(0, 0.5, stream));
  EXPECT_REFUSED("population", poisson_sample(std::uint64_t{1} << 32, 0.5, stream));
  for (const double rate : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_REFUSED("rate", poisson_sample(10, rate, stream));
}

TEST(SamplingEvents, AreTheNodesOfTheTree) {
  EXPECT_EQ(event_of(WithoutReplacement{800, 4000}, Event(Gaussian{4.0})),
            (SampledWithoutReplacement{Rate(800, 4000), Event(Gaussian{4.0})}));
  EXPECT_EQ(event_of(Poisson{0.04, 1000}, Event(Gaussian{4.0})), (PoissonSampled{Rate(0.04), Event(Gaussian{4.0})}));
}

TEST(SamplingEvents, RefuseByName) {
  const Event inner = Gaussian{1.0};
  EXPECT_REFUSED("population", event_of(WithoutReplacement{0, 0}, inner));
  EXPECT_REFUSED("drawn", event_of(WithoutReplacement{5, 4}, inner));
  EXPECT_REFUSED("rate", event_of(Poisson{std::numeric_limits<double>::quiet_NaN(), 4}, inner));
}

}  // namespace
}  // namespace dpbudget::mechanisms
