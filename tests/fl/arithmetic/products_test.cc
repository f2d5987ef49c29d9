// Products of matrices are the sums that they are said to be, and every instruction set gives the same bits.

#include "dpbudget/fl/arithmetic/products.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dpbudget/fl/arithmetic/kernels.h"

namespace dpbudget::fl {
namespace {

template <class Scalar>
RowMajor<Scalar> random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  return RowMajor<Scalar>::NullaryExpr(rows, columns, [&] { return static_cast<Scalar>(normal(bits)); });
}

template <class Scalar>
Scalar sum_of(const RowMajor<Scalar>& left, Eigen::Index i, const RowMajor<Scalar>& right, Eigen::Index j) {
  Scalar sum = 0;
  for (Eigen::Index k = 0; k < left.cols(); ++k) sum = std::fma(left(i, k), right(k, j), sum);
  return sum;
}

// Those of one column are added in sums of their own.
template <class Scalar>
Scalar dot_of(const RowMajor<Scalar>& left, Eigen::Index i, const RowMajor<Scalar>& right) {
  std::vector<Scalar> sums(dot_sums);
  for (Eigen::Index k = 0; k < left.cols(); ++k) {
    Scalar& sum = sums[static_cast<std::size_t>(k % dot_sums)];
    sum = std::fma(left(i, k), right(k, 0), sum);
  }
  for (std::size_t half = dot_sums / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

template <class Scalar>
void expect_products(Eigen::Index rows, Eigen::Index depth, Eigen::Index columns, std::uint64_t seed) {
  const RowMajor<Scalar> left = random_matrix<Scalar>(rows, depth, seed);
  const RowMajor<Scalar> right = random_matrix<Scalar>(depth, columns, seed + 1);
  const RowMajor<Scalar> left_transposed = left.transpose();
  const RowMajor<Scalar> right_transposed = right.transpose();
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  RowMajor<Scalar> plain = RowMajor<Scalar>::Constant(rows, columns, nan);
  RowMajor<Scalar> by_transposed = plain;
  RowMajor<Scalar> transposed = plain;
  multiply<Scalar>(left, right, plain);
  multiply_by_transposed<Scalar>(left, right_transposed, by_transposed);
  multiply_transposed<Scalar>(left_transposed, right, transposed);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) {
      const Scalar expected = sum_of(left, i, right, j);
      RC_ASSERT(plain(i, j) == (columns == 1 ? dot_of(left, i, right) : expected));
      RC_ASSERT(by_transposed(i, j) == expected);
      RC_ASSERT(transposed(i, j) == expected);
    }
}

RC_GTEST_PROP(Products, AddOneProductAfterTheOther, ()) {
  const auto rows = *rc::gen::inRange<Eigen::Index>(1, 70);
  const auto depth = *rc::gen::inRange<Eigen::Index>(1, 400);
  const auto columns = *rc::gen::weightedOneOf<Eigen::Index>(
      {{1, rc::gen::just<Eigen::Index>(1)}, {4, rc::gen::inRange<Eigen::Index>(1, 70)}});
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  expect_products<float>(rows, depth, columns, seed);
  expect_products<double>(rows, depth, columns, seed);
}

template <class Scalar>
std::vector<Scalar> by(const MatrixKernels<Scalar>& kernels, const RowMajor<Scalar>& left,
                       const RowMajor<Scalar>& right) {
  std::vector<Scalar> out(static_cast<std::size_t>(left.rows() * (right.cols() + 1)));
  kernels.multiply({left.data(), left.cols(), 1, right.data(), right.cols(), kernels.lanes, left.rows(), left.cols(),
                    right.cols(), out.data(), right.cols()});
  kernels.dot(left.data(), left.cols(), left.rows(), left.cols(), right.data(), &out[out.size() - left.rows()]);
  return out;
}

template <class Scalar>
void expect_same_bits(Eigen::Index rows, Eigen::Index depth, Eigen::Index columns, std::uint64_t seed) {
  const RowMajor<Scalar> left = random_matrix<Scalar>(rows, depth, seed);
  const RowMajor<Scalar> right = random_matrix<Scalar>(depth, columns, seed + 1);
  const auto kernels = matrix_kernels<Scalar>();
  for (const auto& other : kernels) RC_ASSERT(by(other, left, right) == by(kernels.front(), left, right));
}

RC_GTEST_PROP(Products, HaveTheSameBitsOnEveryInstructionSet, ()) {
  const auto rows = *rc::gen::inRange<Eigen::Index>(1, 40);
  const auto depth = *rc::gen::inRange<Eigen::Index>(1, 400);
  const auto columns = *rc::gen::inRange<Eigen::Index>(1, 140);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  expect_same_bits<float>(rows, depth, columns, seed);
  expect_same_bits<double>(rows, depth, columns, seed);
}

TEST(Products, AreWrittenIntoPartsOfLargerMatricesOnly) {
  const RowMajor<double> left = random_matrix<double>(5, 7, 1);
  const RowMajor<double> right = random_matrix<double>(7, 11, 2);
  RowMajor<double> whole = RowMajor<double>::Constant(9, 20, 3);
  multiply<double>(left, right, whole.block(2, 4, 5, 11));
  for (Eigen::Index i = 0; i < 9; ++i)
    for (Eigen::Index j = 0; j < 20; ++j) {
      const bool is_inside = 2 <= i && i < 7 && 4 <= j && j < 15;
      EXPECT_EQ(whole(i, j), is_inside ? sum_of(left, i - 2, right, j - 4) : 3);
    }
  whole.setConstant(3);
  multiply_transposed<double>(random_matrix<double>(7, 5, 3), random_matrix<double>(7, 1, 4), whole.block(2, 4, 5, 1));
  EXPECT_EQ((whole.array() != 3).count(), 5);
  // Of few columns and many rows, which are computed the other way round.
  whole.setConstant(3);
  const RowMajor<double> deep = random_matrix<double>(300, 9, 6), two = random_matrix<double>(300, 2, 7);
  multiply_transposed<double>(deep, two, whole.block(0, 4, 9, 2));
  EXPECT_EQ((whole.array() != 3).count(), 18);
  for (Eigen::Index i = 0; i < 9; ++i)
    for (Eigen::Index j = 0; j < 2; ++j) EXPECT_EQ(whole(i, 4 + j), sum_of<double>(deep.transpose(), i, two, j));
  whole.setConstant(3);
  multiply<double>(left, random_matrix<double>(7, 1, 5), whole.block(2, 4, 5, 1));
  EXPECT_EQ((whole.array() != 3).count(), 5);
}

TEST(Products, OfNothingAreZero) {
  RowMajor<float> out = RowMajor<float>::Ones(3, 4);
  multiply<float>(RowMajor<float>(3, 0), RowMajor<float>(0, 4), out);
  EXPECT_TRUE(out.isZero(0));
}

// Nothing that overflows looks like a number: a gradient that is not finite must be seen.
TEST(Products, KeepWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (Eigen::Index columns : {1, 2, 10, 33}) {
    RowMajor<double> left = RowMajor<double>::Ones(20, 40);
    left(7, 39) = std::numeric_limits<double>::quiet_NaN();
    left(11, 0) = infinity;
    RowMajor<double> out(20, columns);
    multiply<double>(left, RowMajor<double>::Ones(40, columns), out);
    for (Eigen::Index j = 0; j < columns; ++j) {
      EXPECT_TRUE(std::isnan(out(7, j)));
      EXPECT_EQ(out(11, j), infinity);
      EXPECT_EQ(out(12, j), 40);
    }
  }
}

}  // namespace
}  // namespace dpbudget::fl
