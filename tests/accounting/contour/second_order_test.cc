#include "dpbudget/accounting/contour/second_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "accounting/contour/second_order_of.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using dpbudget::testing::second_order_of;

// accounting/contour/proofs.md, 4.1
TEST(SecondOrder, IsRightRelativeToTheSquare) {
  for (double t = 1e-9; t < 40; t *= 1.03) {
    for (const double at : {t, -t}) {
      const std::complex<long double> truth = second_order_of(at);
      const std::complex<double> found = second_order(at);
      const long double units = numeric::unit * std::min(1.0, t) * t;
      EXPECT_LE(std::abs(found.real() - truth.real()), 4 * units) << at;
      EXPECT_LE(std::abs(found.imag() - truth.imag()), 4 * units) << at;
    }
  }
}

TEST(SecondOrder, SumsAreThoseOfTheirTerms) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 40, 1000}) {
    std::vector<double> x;
    std::vector<double> weights;
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(std::pow(static_cast<double>(i) / static_cast<double>(count) - 0.4, 3));
      weights.push_back(std::exp(-static_cast<double>(i % 17)));
    }
    for (const double s : {0.01, 1.0, 9.0, 400.0}) {
      std::complex<long double> truth;
      double size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        truth += static_cast<long double>(weights[i]) * second_order_of(s * x[i]);
        size += weights[i] * std::min(std::abs(s * x[i]), 1.0) * std::abs(s * x[i]);
      }
      const SmallAngles small = small_angles(x, s);
      std::complex<double> found = sum_of_small(weights, x, s, small);
      for (std::size_t i = 0; i < count; ++i)
        if (i < small.begin || small.end <= i) found += weights[i] * second_order(s * x[i]);
      EXPECT_LE(std::abs(found.real() - truth.real()), (6 + static_cast<double>(count) / 8) * numeric::unit * size);
      EXPECT_LE(std::abs(found.imag() - truth.imag()), (6 + static_cast<double>(count) / 8) * numeric::unit * size);
    }
  }
}

TEST(SecondOrder, IsTheSameToTheLastBitByEveryInstructionSet) {
  for (const std::size_t count : {1, 7, 8, 9, 40, 1000}) {
    std::vector<double> x;
    std::vector<double> weights;
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(std::sin(static_cast<double>(i)) / 2);
      weights.push_back(1 / (1 + static_cast<double>(i)));
    }
    const std::complex<double> plain = second_order_versions().front().sum(weights.data(), x.data(), 0.9, count);
    for (const SecondOrderVersion& version : second_order_versions())
      EXPECT_EQ(version.sum(weights.data(), x.data(), 0.9, count), plain) << version.name;
  }
}

}  // namespace
}  // namespace dpbudget::contour
