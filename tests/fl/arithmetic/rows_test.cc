// Squared norms against sums in a longer format, and finiteness of every place.

#include "dpbudget/fl/arithmetic/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "dpbudget/fl/arithmetic/kernels.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

template <class Scalar>
void expect_norms() {
  std::mt19937_64 bits(4);
  std::normal_distribution<double> normal;
  for (const std::ptrdiff_t columns : {0, 1, 3, 4, 5, 41, 63, 64, 65, 201, 785}) {
    const std::ptrdiff_t rows = 5;
    const std::ptrdiff_t stride = columns + 3;
    std::vector<Scalar> entries(static_cast<std::size_t>(rows * stride));
    for (Scalar& entry : entries) entry = static_cast<Scalar>(normal(bits));
    std::vector<double> found(rows);
    squared_norms_of_view(MatrixView<const Scalar>{entries.data(), rows, columns, stride}, found);
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      long double sum = 0;
      for (std::ptrdiff_t k = 0; k < columns; ++k) {
        const long double entry = entries[static_cast<std::size_t>(i * stride + k)];
        sum += entry * entry;
      }
      EXPECT_NEAR(found[static_cast<std::size_t>(i)], static_cast<double>(sum), 1e-14 * static_cast<double>(sum));
    }
  }
}

TEST(SquaredNorms, AreTheSumsOfSquares) {
  expect_norms<double>();
  expect_norms<float>();
}

template <class Scalar>
std::vector<Scalar> random_entries(std::size_t count) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  std::vector<Scalar> entries(count);
  for (Scalar& entry : entries) entry = static_cast<Scalar>(normal(bits));
  return entries;
}

template <class Scalar>
void expect_same_norms() {
  for (const std::ptrdiff_t columns : {0, 1, 3, 4, 5, 10, 61, 63, 64, 65, 201, 785})
    for (const std::ptrdiff_t rows : {0, 1, 3, 4, 6, 128}) {
      const auto entries = random_entries<Scalar>(static_cast<std::size_t>(rows * (columns + 1)));
      const auto by = [&](const MatrixKernels<Scalar>& kernels) {
        std::vector<double> found(static_cast<std::size_t>(rows));
        kernels.squared_norms(entries.data(), columns + 1, rows, columns, found.data());
        return found;
      };
      for (const auto& kernels : matrix_kernels<Scalar>())
        EXPECT_EQ(by(kernels), by(matrix_kernels<Scalar>().front())) << kernels.instructions << ' ' << columns;
    }
}

TEST(SquaredNorms, AreTheSameToTheLastBitByEveryInstructionSet) {
  expect_same_norms<double>();
  expect_same_norms<float>();
}

template <class Scalar>
void expect_rounded() {
  for (const std::size_t count : {0, 1, 3, 4, 7, 8, 9, 60, 785}) {
    const std::vector<double> entries = random_entries<double>(count);
    std::vector<Scalar> expected;
    for (const double entry : entries) expected.push_back(static_cast<Scalar>(entry));
    std::vector<Scalar> found(count);
    convert<Scalar>(entries, found);
    EXPECT_EQ(found, expected);
    for (const auto& kernels : matrix_kernels<Scalar>()) {
      std::vector<Scalar> by_kernel(count + 1, 7);
      kernels.convert(entries.data(), static_cast<std::ptrdiff_t>(count), by_kernel.data());
      EXPECT_EQ(by_kernel.back(), 7) << "no more than it is asked for";
      by_kernel.pop_back();
      EXPECT_EQ(by_kernel, expected) << kernels.instructions;
    }
  }
}

TEST(Conversion, RoundsEveryEntry) {
  expect_rounded<double>();
  expect_rounded<float>();
}

TEST(Conversion, RefusesAnotherLength) {
  const std::vector<double> entries(3);
  std::vector<float> found(2);
  EXPECT_REFUSED("to is 2", convert<float>(entries, found));
}

TEST(SquaredNorms, DoNotOverflowWhereFloatsDo) {
  const std::vector<float> entries = {3e30F, 4e30F};
  std::vector<double> found(1);
  squared_norms_of_view(MatrixView<const float>{entries.data(), 1, 2, 2}, found);
  EXPECT_NEAR(found[0], 2.5e61, 1e55);
}

TEST(SquaredNorms, RefuseAnotherNumberOfRows) {
  const std::vector<double> entries(6);
  std::vector<double> found(3);
  EXPECT_REFUSED("out is 3", squared_norms_of_view(MatrixView<const double>{entries.data(), 2, 3, 3}, found));
}

template <class Scalar>
void expect_finite() {
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<Scalar> values(count, std::numeric_limits<Scalar>::max());
    EXPECT_TRUE(all_finite<Scalar>(values));
    for (std::size_t i = 0; i < count; ++i)
      for (const Scalar wrong : {infinity, -infinity, std::numeric_limits<Scalar>::quiet_NaN()}) {
        values[i] = wrong;
        EXPECT_FALSE(all_finite<Scalar>(values)) << i << " of " << count;
        values[i] = std::numeric_limits<Scalar>::denorm_min();
      }
  }
}

TEST(AllFinite, SeesEveryPlace) {
  expect_finite<double>();
  expect_finite<float>();
}

}  // namespace
}  // namespace dpbudget::fl
