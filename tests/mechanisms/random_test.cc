#include "dpbudget/mechanisms/random.h"

#include <Random123/philox.h>
#include <Random123/threefry.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "mechanisms/goodness_of_fit.h"
#include "mechanisms/refused.h"

namespace dpbudget::mechanisms {
namespace {

using Block = std::array<std::uint64_t, 4>;

std::vector<std::uint64_t> words(const StreamKey& key, std::size_t count) {
  Stream stream(key);
  std::vector<std::uint64_t> drawn(count);
  for (std::uint64_t& word : drawn) word = stream();
  return drawn;
}

// Kolmogorov's limit P(sqrt(n) D > x) = 2 sum (-1)^(k-1) exp(-2 k^2 x^2); at x = 2.5 it is 7.5e-6.
double kolmogorov_smirnov(std::vector<double> uniforms) {
  std::ranges::sort(uniforms);
  const auto n = static_cast<double>(uniforms.size());
  double distance = 0;
  for (std::size_t i = 0; i < uniforms.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, uniforms[i] - rank / n, (rank + 1) / n - uniforms[i]});
  }
  return std::sqrt(n) * distance;
}

// The known answers for all-zero keys and counters, published with Random123: kat_vectors, threefry4x64 20 rounds and
// philox4x64 10 rounds.
TEST(Stream, IsTheGeneratorWithTheKeyAndCounterItDocuments) {
  const StreamKey zero{0, static_cast<Purpose>(0), 0, 0, 0};
  const std::vector<std::uint64_t> threefry = {0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc,
                                               0xee29ec846bd2e40b};
  EXPECT_EQ(words(zero, 4), threefry);
  Stream older(zero, Generator::philox);
  const std::vector<std::uint64_t> philox = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                             0x7e68b68aec7ba23b};
  for (const std::uint64_t word : philox) EXPECT_EQ(older(), word);
}

// Whether words are asked for one by one or together.
TEST(Stream, CountsItsBlocksInTheLastWordOfTheCounter) {
  const StreamKey key{1, Purpose::rounding, 2, 3, 4};
  Stream threefry(key), philox(key, Generator::philox);
  for (std::uint64_t block = 0; block < 40; ++block) {
    const auto expected = r123::Threefry4x64()({{2, 3, 4, block}}, {{1, 10, 0, 0}});
    const auto older = r123::Philox4x64()({{2, 3, 4, block}}, {{1, 10}});
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(threefry(), expected[j]);
      EXPECT_EQ(philox(), older[j]);
    }
  }
}

TEST(Stream, StreamsOfDifferentKeysShareNoBlock) {
  // Neighbouring and extreme values of every field, where a packed key would collide.
  std::set<Block> blocks;
  std::size_t drawn = 0;
  const std::uint64_t high = std::uint64_t{1} << 32;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, high})
    for (const Purpose purpose : {Purpose::noise, Purpose::record_sampling})
      for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1}, high, ~std::uint64_t{0}})
        for (const std::uint64_t client : {std::uint64_t{0}, std::uint64_t{1}, high, ~std::uint64_t{0}})
          for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, high, ~std::uint64_t{0}}) {
            const auto stream = words({seed, purpose, round, client, step}, 4 * 20);
            for (std::size_t i = 0; i < stream.size(); i += 4, ++drawn)
              blocks.insert({stream[i], stream[i + 1], stream[i + 2], stream[i + 3]});
          }
  EXPECT_EQ(drawn, 3u * 2 * 4 * 4 * 4 * 20);
  EXPECT_EQ(blocks.size(), drawn);
}

RC_GTEST_PROP(Stream, SameKeySameWords, (std::uint64_t seed, std::uint64_t round, std::uint64_t client)) {
  const StreamKey key{seed, Purpose::noise, round, client, 3};
  std::vector<std::uint64_t> on_thread;
  std::thread([&] { on_thread = words(key, 33); }).join();
  RC_ASSERT(words(key, 33) == on_thread);
}

TEST(Stream, NormalsAreNormal) {
  const boost::math::normal standard;
  Stream stream({1, Purpose::noise, 0, 0, 0});
  std::vector<double> uniforms(200000);
  double sum = 0, squares = 0, products = 0, previous = 0;
  for (double& uniform : uniforms) {
    const double draw = stream.normal();
    uniform = cdf(standard, draw);
    sum += draw;
    squares += draw * draw;
    products += draw * previous;
    previous = draw;
  }
  const auto n = static_cast<double>(uniforms.size());
  EXPECT_LT(kolmogorov_smirnov(uniforms), 2.5);
  EXPECT_LT(std::abs(sum) / std::sqrt(n), 5);  // 5 standard deviations: probability 6e-7
  EXPECT_LT(std::abs(squares - n) / std::sqrt(2 * n), 5);
  EXPECT_LT(std::abs(products) / std::sqrt(n), 5);
}

// Successive streams, as successive steps use them, must be as good as one stream.
TEST(Stream, FirstNormalsOfConsecutiveStepsAreNormal) {
  const boost::math::normal standard;
  std::vector<double> uniforms;
  for (std::uint64_t step = 0; step < 50000; ++step)
    uniforms.push_back(cdf(standard, Stream({7, Purpose::noise, 1, 2, step}).normal()));
  EXPECT_LT(kolmogorov_smirnov(uniforms), 2.5);
}

TEST(Stream, UniformsAreUniformAndBelowOne) {
  Stream stream({2, Purpose::partition, 0, 0, 0});
  std::vector<double> uniforms(200000);
  for (double& uniform : uniforms) {
    uniform = stream.uniform();
    ASSERT_TRUE(0 <= uniform && uniform < 1);
  }
  EXPECT_LT(kolmogorov_smirnov(uniforms), 2.5);
}

// Large ranges, of which many words are rejected, too.
TEST(Stream, DrawsTwoNumbersAsOneOfTheProduct) {
  Stream pairs({7}), numbers({7});
  constexpr std::uint64_t most = (std::uint64_t{1} << 32U) - 1;
  for (const std::uint64_t first : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{4000}, most / 3 * 2, most})
    for (const std::uint64_t second : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{3999}, most / 4 * 3, most})
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t number = numbers.below(first * second);
        EXPECT_EQ(pairs.below(first, second), std::pair(number / second, number % second));
      }
}

// Of 3 quarters of 2^64 too, where a quarter of all words is rejected.
TEST(Stream, NumbersBelowARangeAreUniform) {
  Stream stream({2, Purpose::partition, 0, 0, 1});
  for (const std::uint64_t range : {std::uint64_t{6}, std::uint64_t{1} << 32, std::uint64_t{3} << 62}) {
    std::vector<std::uint64_t> counts(6);
    for (int i = 0; i < 60000; ++i) {
      const std::uint64_t number = stream.below(range);
      ASSERT_LT(number, range);
      const double share = static_cast<double>(number) / static_cast<double>(range);
      ++counts[std::min<std::size_t>(5, static_cast<std::size_t>(6 * share))];
    }
    EXPECT_GT(goodness_of_fit(counts, std::vector<double>(6, 1.0 / 6)), 1e-6) << range;
  }
  EXPECT_EQ(stream.below(1), 0U);
  EXPECT_REFUSED("range", stream.below(0));
  EXPECT_REFUSED("range", stream.below(0, 5));
  EXPECT_REFUSED("range", stream.below(5, 0));
  EXPECT_REFUSED("range is 4294967296, but must be below 2^32, as the other", stream.below(3, std::uint64_t{1} << 32U));
}

TEST(Stream, WordsInBetweenLeaveAPairOfNormalsWhole) {
  const StreamKey key{3, Purpose::noise, 0, 0, 0};
  Stream plain(key), mixed(key);
  const double first = plain.normal(), second = plain.normal();
  EXPECT_EQ(mixed.normal(), first);
  mixed.uniform();
  EXPECT_EQ(mixed.normal(), second);
}

std::vector<double> filled(Stream& stream, std::size_t count) {
  std::vector<double> draws(count);
  stream.fill_normal(draws);
  return draws;
}

// Before it, words and draws may have been taken, one draw of a pair as well.
TEST(Stream, FillsWithTheNormalsThatItWouldDraw) {
  for (std::size_t step = 0; step < 300; ++step) {
    const StreamKey key{4, Purpose::noise, 1, 2, step};
    Stream filling(key), drawing(key);
    for (std::uint64_t i = 0; i < step % 7; ++i) EXPECT_EQ(filling(), drawing());
    for (std::uint64_t i = 0; i < step % 3; ++i) EXPECT_EQ(filling.normal(), drawing.normal());
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, step, std::size_t{2 * step + 1}}) {
      for (const double draw : filled(filling, count)) EXPECT_EQ(draw, drawing.normal());
      EXPECT_EQ(filling.below(1000), drawing.below(1000));
    }
  }
}

TEST(Stream, FillsInPartsAsAtOnce) {
  const StreamKey key{6, Purpose::noise, 1, 2, 3};
  Stream whole(key);
  const auto all = filled(whole, 3000);
  Stream lengths({1, Purpose::partition, 0, 0, 0});
  for (const std::uint64_t most : {1, 2, 10, 40, 700}) {
    Stream stream(key);
    std::vector<double> parts;
    while (parts.size() < all.size()) {
      const auto part =
          filled(stream, std::min(static_cast<std::size_t>(lengths.below(most)) + 1, all.size() - parts.size()));
      parts.insert(parts.end(), part.begin(), part.end());
    }
    EXPECT_EQ(parts, all) << most;
  }
}

// Another compiler, library or machine has the same.
TEST(Stream, FillsWithTheSameBitsEverywhere) {
  Stream stream({1, Purpose::noise, 2, 3, 4});
  std::uint64_t hash = 0;
  for (const double draw : filled(stream, 1000000)) hash = (hash ^ std::bit_cast<std::uint64_t>(draw)) * 0x100000001b3;
  EXPECT_EQ(hash, 7282926690290636796U);
}

// Each test refuses right draws for at most one in a million seeds.
TEST(Stream, FillsWithNormals) {
  constexpr std::size_t cells = 256, number = 4000000;
  const boost::math::normal standard;
  std::vector<double> borders;
  for (std::size_t i = 1; i < cells; ++i)
    borders.push_back(quantile(standard, static_cast<double>(i) / static_cast<double>(cells)));
  Stream stream({1, Purpose::noise, 0, 0, 0});
  const auto draws = filled(stream, number);
  std::vector<std::uint64_t> counts(cells), tails(3);
  double sum = 0, squares = 0, products = 0, fourths = 0, previous = 0;
  for (const double draw : draws) {
    ++counts[static_cast<std::size_t>(std::ranges::upper_bound(borders, draw) - borders.begin())];
    ++tails[std::abs(draw) < 4 ? 0 : std::abs(draw) < 4.5 ? 1 : 2];
    sum += draw;
    squares += draw * draw;
    fourths += draw * draw * draw * draw;
    products += draw * previous;
    previous = draw;
  }
  EXPECT_GT(goodness_of_fit(counts, std::vector<double>(cells, 1.0 / cells)), 1e-6);
  const double beyond_4 = 2 * cdf(standard, -4), beyond_4_5 = 2 * cdf(standard, -4.5);
  EXPECT_GT(goodness_of_fit(tails, {1 - beyond_4, beyond_4 - beyond_4_5, beyond_4_5}), 1e-6);
  const auto n = static_cast<double>(number);
  EXPECT_LT(std::abs(sum) / std::sqrt(n), 5);  // 5 standard deviations: probability 6e-7
  EXPECT_LT(std::abs(squares - n) / std::sqrt(2 * n), 5);
  EXPECT_LT(std::abs(fourths - 3 * n) / std::sqrt(96 * n), 5);
  EXPECT_LT(std::abs(products) / std::sqrt(n), 5);
}

}  // namespace
}  // namespace dpbudget::mechanisms
