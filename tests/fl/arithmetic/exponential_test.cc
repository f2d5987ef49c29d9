// Exponentials against those of the C library in a longer format, and on every instruction set.

#include "dpbudget/fl/arithmetic/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dpbudget::fl {
namespace {

template <class Scalar>
std::vector<Scalar> points(double least) {
  std::mt19937_64 bits(12);
  std::vector<Scalar> found = {0, -0.0, static_cast<Scalar>(least), std::numeric_limits<Scalar>::denorm_min() * -1};
  for (int i = 0; i < 200'000; ++i) {
    const double u = std::generate_canonical<double, 53>(bits);
    found.push_back(static_cast<Scalar>(i % 3 == 0 ? least * u : i % 3 == 1 ? -20 * u : -u * u * u));
  }
  return found;
}

template <class Scalar>
double largest_error(double least) {
  const std::vector<Scalar> given = points<Scalar>(least);
  std::vector<Scalar> found = given;
  exponentials(std::span(found));
  double largest = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const long double expected = std::exp(static_cast<long double>(given[i]));
    const auto near = static_cast<Scalar>(expected);
    const Scalar ulp = std::nextafter(near, Scalar{2}) - near;
    largest = std::max(largest, static_cast<double>(std::abs((found[i] - expected) / ulp)));
  }
  return largest;
}

TEST(Exponentials, AreRightToLittleMoreThanAUnitInTheLastPlace) {
  EXPECT_LE(largest_error<double>(-708), 1.1);
  EXPECT_LE(largest_error<float>(-87), 1.1);
}

TEST(Exponentials, AreTinyBelowAndKeepNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = {-709, -1e300, -infinity, nan, -nan, infinity - infinity, 0};
  exponentials(std::span(values));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(values[i], 0);
    EXPECT_LT(values[i], 3.4e-308);
  }
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isnan(values[i]));
  EXPECT_EQ(values[6], 1);
  std::vector<float> singles = {-88, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  exponentials(std::span(singles));
  EXPECT_GT(singles[0], 0);
  EXPECT_LT(singles[1], 1.7e-38F);
  EXPECT_TRUE(std::isnan(singles[2]));
}

TEST(Exponentials, HaveTheSameBitsOnEveryInstructionSet) {
  const std::vector<double> doubles = points<double>(-708);
  const std::vector<float> singles = points<float>(-87);
  std::vector<double> first_doubles = doubles;
  std::vector<float> first_singles = singles;
  exponential_versions().front().doubles(first_doubles.data(), first_doubles.size());
  exponential_versions().front().floats(first_singles.data(), first_singles.size());
  for (const ExponentialVersion& version : exponential_versions()) {
    std::vector<double> found = doubles;
    version.doubles(found.data(), found.size());
    EXPECT_EQ(found, first_doubles) << version.instructions;
    std::vector<float> found_singles = singles;
    version.floats(found_singles.data(), found_singles.size());
    EXPECT_EQ(found_singles, first_singles) << version.instructions;
  }
}

}  // namespace
}  // namespace dpbudget::fl
