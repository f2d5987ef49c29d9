#include "dpbudget/accounting/contour/waves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

// Of all sizes around those of vectors.
std::vector<double> places(std::size_t count) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(std::sqrt(static_cast<double>(i) + 0.5) - 2);
  return x;
}

TEST(Waves, AreTurnedToWhereTheyAreAimed) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 16, 35}) {
    const std::vector<double> x = places(count);
    Waves waves;
    Waves by;
    aim(waves, 0.25, x);
    aim(by, 3, x);
    const std::complex<double> sum = turn(waves, by);
    std::complex<double> expected;
    for (std::size_t i = 0; i < count; ++i) {
      const auto there = std::polar(1.0, 3.25 * x[i]);
      expected += there;
      EXPECT_NEAR(waves.real[i], there.real(), 8 * numeric::unit);
      EXPECT_NEAR(waves.imaginary[i], there.imag(), 8 * numeric::unit);
    }
    EXPECT_NEAR(sum.real(), expected.real(), 8 * numeric::unit * static_cast<double>(count));
    EXPECT_NEAR(sum.imag(), expected.imag(), 8 * numeric::unit * static_cast<double>(count));
  }
}

// What the proof says of rounding: accounting/contour/proofs.md, 7.2.
TEST(Waves, ErrByLessThanTwoThirdsOfAUnitForEachTurn) {
  const std::vector<double> x = places(40);
  Waves waves;
  Waves by;
  aim(waves, 0.5, x);
  aim(by, 0.5, x);
  for (int turns = 1; turns <= 4096; ++turns) {
    turn(waves, by);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto there = std::polar(1.0L, 0.5L * (turns + 1) * x[i]);
      const std::complex<long double> error(waves.real[i] - there.real(), waves.imaginary[i] - there.imag());
      ASSERT_LE(std::abs(error), (1 + turns * 2.0 / 3) * numeric::unit) << turns;
    }
  }
}

TEST(Waves, AreTheSameToTheLastBitByEveryInstructionSet) {
  for (const std::size_t count : {1, 7, 8, 9, 16, 35, 1000}) {
    const std::vector<double> x = places(count);
    Waves by;
    aim(by, 0.1, x);
    const auto turned = [&](const TurnVersion& version, Waves& waves) {
      aim(waves, 0.7, x);
      std::complex<double> sum;
      for (int i = 0; i < 3; ++i)
        sum = version.turn(waves.real.data(), waves.imaginary.data(), by.real.data(), by.imaginary.data(), count);
      return sum;
    };
    Waves first;
    const auto expected = turned(turn_versions().front(), first);
    for (const TurnVersion& version : turn_versions()) {
      Waves waves;
      EXPECT_EQ(turned(version, waves), expected) << version.name << " of " << count;
      EXPECT_EQ(waves.real, first.real) << version.name;
      EXPECT_EQ(waves.imaginary, first.imaginary) << version.name;
    }
  }
}

}  // namespace
}  // namespace dpbudget::contour
