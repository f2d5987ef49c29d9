#include "dpbudget/accounting/contour/second_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <utility>
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

// accounting/contour/proofs.md, 8.4
TEST(SecondOrder, EachIsRightRelativeToTheSquareAndWeighted) {
  std::vector<double> x;
  std::vector<double> even;
  std::vector<double> odd;
  for (int i = 0; i < 203; ++i) {
    x.push_back(2 * std::sin(i));  // in no order
    even.push_back(1 / (1.0 + i));
    odd.push_back(i % 3 - 1);
  }
  for (const double s : {1e-6, 0.2, 0.25, 1.0, 30.0}) {
    Waves waves;
    aim(waves, s, x);
    Waves found;
    second_orders(x, s, waves, even, odd, found);
    ASSERT_EQ(found.real.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::complex<long double> truth = second_order_of(s * x[i]);
      // Cosines and sines are right to a unit, and angles of more than a half have squares of a quarter.
      const long double units = 8 * numeric::unit * s * x[i] * s * x[i];
      EXPECT_LE(std::abs(found.real[i] - even[i] * truth.real()), units * even[i]) << s << ' ' << x[i];
      EXPECT_LE(std::abs(found.imaginary[i] - odd[i] * truth.imag()), units * std::abs(odd[i])) << s << ' ' << x[i];
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
  for (const std::size_t count : {1, 7, 8, 9, 40, 1000}) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i) x.push_back(std::sin(static_cast<double>(i)));
    Waves waves;
    aim(waves, 0.9, x);
    const auto by = [&](const SecondOrderVersion& version) {
      Waves out{std::vector<double>(count), std::vector<double>(count)};
      version.each(x.data(), 0.9, waves.real.data(), waves.imaginary.data(), x.data(), x.data(), out.real.data(),
                   out.imaginary.data(), count);
      return std::pair(out.real, out.imaginary);
    };
    for (const SecondOrderVersion& version : second_order_versions())
      EXPECT_EQ(by(version), by(second_order_versions().front())) << version.name;
  }
}

}  // namespace
}  // namespace dpbudget::contour
