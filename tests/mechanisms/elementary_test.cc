#include "dpbudget/mechanisms/elementary.h"

#include <gtest/gtest.h>

#include <Random123/uniform.hpp>
#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/mechanisms/operations.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {
namespace {

using Precise = boost::multiprecision::cpp_bin_float_50;

// The difference in units of the last place of the exact value.
double ulps(double got, const Precise& exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(abs(Precise(got) - exact) / ldexp(Precise(1), exponent - 53));
}

// All words that are next to a power of two, or to the border of a sixteenth of a turn, and random ones of every size.
std::vector<std::uint64_t> edge_words() {
  std::vector<std::uint64_t> words;
  const auto add_around = [&](std::uint64_t word) {
    for (int i = -2; i <= 2; ++i) words.push_back(word + static_cast<std::uint64_t>(i));
  };
  for (unsigned bit = 0; bit < 64; ++bit) {
    add_around(std::uint64_t{1} << bit);
    add_around(~(std::uint64_t{1} << bit));
    add_around(~std::uint64_t{0} << bit);
  }
  for (std::uint64_t sixteenth = 0; sixteenth < 16; ++sixteenth) add_around(sixteenth << 60U);
  Stream stream({1, Purpose::noise, 0, 0, 0});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t some = stream() >> stream.below(64);
    words.push_back((stream.below(8) << 61U) + (i % 2 == 0 ? some : 0 - some));
  }
  return words;
}

TEST(Elementary, UnitsAreThoseOfRandom123) {
  for (const std::uint64_t word : edge_words()) EXPECT_EQ(unit_of<Plain>(word), r123::u01<double>(word)) << word;
  EXPECT_EQ(unit_of<Plain>(0), 0x1p-65);
  EXPECT_EQ(unit_of<Plain>(~std::uint64_t{0}), 1);
}

TEST(Elementary, LogarithmIsExactToAnUlp) {
  for (const std::uint64_t word : edge_words()) {
    const double unit = unit_of<Plain>(word);
    const double got = minus_twice_log<Plain>(unit);
    if (unit < 1) {
      EXPECT_LT(ulps(got, -2 * log(Precise(unit))), 0.9) << word;
    } else {
      EXPECT_EQ(got, 0);
    }
  }
  for (double gap = 0x1p-53; gap < 0.5; gap *= 1.37)
    EXPECT_LT(ulps(minus_twice_log<Plain>(1 - gap), -2 * log(Precise(1 - gap))), 0.9) << gap;
}

TEST(Elementary, SineAndCosineAreExactToOneAndAHalfUlps) {
  const Precise turn = boost::math::constants::two_pi<Precise>();
  for (const std::uint64_t word : edge_words()) {
    const Precise angle = turn * ldexp(Precise(word) + 0.5, -64);
    const auto [sine, cosine] = sine_and_cosine_of<Plain>(word);
    EXPECT_LT(ulps(sine, sin(angle)), 1.5) << word;
    EXPECT_LT(ulps(cosine, cos(angle)), 1.5) << word;
  }
}

}  // namespace
}  // namespace dpbudget::mechanisms
