#include "dpbudget/accounting/contour/weighted_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace dpbudget::contour {
namespace {

TEST(WeightedSums, AreTheSameByEveryVersionToTheLastBit) {
  for (const std::size_t columns : {1, 2, 3, 4, 7, 12, 15, 16, 31, 33, 64, 70})
    for (const std::size_t numbers : {0, 1, 5, 30}) {
      Waves waves;
      std::vector<double> weights;
      for (std::size_t i = 0; i < numbers; ++i) {
        const auto x = static_cast<double>(i);
        waves.real.push_back(std::sin(1 + 3 * x));
        waves.imaginary.push_back(std::cos(2 + 5 * x));
        for (std::size_t j = 0; j < columns; ++j)
          weights.push_back(std::exp(-std::fmod(7.3 * x + 1.9 * static_cast<double>(j), 11)));
      }
      std::vector<double> expected_real(columns, 0.25);
      std::vector<double> expected_imaginary(columns, -0.5);
      for (std::size_t i = 0; i < numbers; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          expected_real[j] += weights[i * columns + j] * waves.real[i];
          expected_imaginary[j] += weights[i * columns + j] * waves.imaginary[i];
        }
      for (const WeightedVersion& version : weighted_versions()) {
        std::vector<double> real(columns, 0.25);
        std::vector<double> imaginary(columns, -0.5);
        version.add(weights.data(), waves, real, imaginary);
        EXPECT_EQ(real, expected_real) << version.name << ' ' << columns;
        EXPECT_EQ(imaginary, expected_imaginary) << version.name << ' ' << columns;
      }
    }
}

}  // namespace
}  // namespace dpbudget::contour
