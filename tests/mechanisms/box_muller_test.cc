#include "dpbudget/mechanisms/box_muller.h"

#include <gtest/gtest.h>

#include <Random123/boxmuller.hpp>
#include <bit>
#include <cmath>
#include <vector>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {
namespace {

std::vector<std::uint64_t> random_words(std::size_t count) {
  Stream stream({5, Purpose::noise, 1, 2, 3});
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = stream() >> (stream.below(4) == 0 ? stream.below(64) : 0);
  return words;
}

TEST(BoxMuller, IsRandom123s) {
  const auto words = random_words(20000);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto [first, second] = box_muller(words[i], words[i + 1]);
    const auto [x, y] = r123::boxmuller(words[i], words[i + 1]);
    const double length = std::hypot(x, y);  // Random123 rounds the angle first
    EXPECT_NEAR(first, x, 1e-15 * length);
    EXPECT_NEAR(second, y, 1e-15 * length);
  }
}

TEST(BoxMuller, ReachesAsFarAsItsWordsAndNoFurther) {
  const std::uint64_t quarter = std::uint64_t{1} << 62U;
  const double most = std::sqrt(130 * std::log(2));
  EXPECT_DOUBLE_EQ(box_muller(quarter, 0).first, most);
  EXPECT_DOUBLE_EQ(box_muller(0, 0).second, most);
  EXPECT_DOUBLE_EQ(box_muller(3 * quarter, 0).first, -most);
  EXPECT_DOUBLE_EQ(box_muller(2 * quarter, 0).second, -most);
  // The least that is not zero, and zero.
  EXPECT_NE(box_muller(quarter, ~std::uint64_t{0} - 2047).first, 0);
  EXPECT_EQ(box_muller(quarter, ~std::uint64_t{0}).first, 0);
  EXPECT_EQ(box_muller(quarter, ~std::uint64_t{0}).second, 0);
}

TEST(BoxMuller, HasTheSameBitsByEveryInstructionSet) {
  const auto words = random_words(4096 * box_muller_words);
  std::vector<double> alone(words.size());
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto [first, second] = box_muller(words[i], words[i + 1]);
    ASSERT_TRUE(std::isfinite(first) && std::isfinite(second));
    alone[i] = first;
    alone[i + 1] = second;
  }
  for (const BoxMullerVersion& version : box_muller_versions()) {
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const auto [first, second] = version.pair(words[i], words[i + 1]);
      ASSERT_TRUE(first == alone[i] && second == alone[i + 1]) << version.instructions;
    }
    std::vector<double> draws(words.size());
    version.transform(words.data(), draws.data(), words.size() / box_muller_words);
    EXPECT_EQ(draws, alone) << version.instructions;
  }
}

TEST(BoxMuller, TakesAnyNumberOfPairs) {
  const auto words = random_words(100);
  for (std::size_t count = 0; count <= words.size(); count += 2) {
    std::vector<double> draws(count + 1, 7);
    box_muller(std::span(words).first(count), std::span(draws).first(count));
    for (std::size_t i = 0; i < count; i += 2) {
      EXPECT_EQ(draws[i], box_muller(words[i], words[i + 1]).first);
      EXPECT_EQ(draws[i + 1], box_muller(words[i], words[i + 1]).second);
    }
    EXPECT_EQ(draws[count], 7);
  }
}

}  // namespace
}  // namespace dpbudget::mechanisms
