#include "dpbudget/accounting/contour/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace dpbudget::contour {
namespace {

struct Step {
  double width;
  double height;
};

double mass(const std::vector<Step>& steps) {
  double sum = 0;
  for (const auto [width, height] : steps) sum += width * height;
  return sum;
}

// |phi(s)| of the step density itself.
double characteristic(const std::vector<Step>& steps, double s) {
  std::complex<double> sum = 0;
  double begin = 0;
  for (const auto [width, height] : steps) {
    sum += height * (std::polar(1.0, s * (begin + width)) - std::polar(1.0, s * begin)) / std::complex<double>(0, s);
    begin += width;
  }
  return std::abs(sum);
}

// accounting/contour/proofs.md, 2.1
TEST(Layers, BoundWhatTheyAreMadeOf) {
  const std::vector<std::vector<Step>> densities = {
      {{2, 0.5}},
      {{1, 0.2}, {1, 0.5}, {1, 0.3}},
      {{1, 0.3}, {0.5, 0.1}, {1, 0.4}, {0.25, 0.1}, {0.25, 0.9}},
      {{0.01, 30}, {10, 0.07}},
      {{1, 0.3}, {1, 0}, {1, 0.3}, {1, 0.3}, {1, 0.1}},
  };
  for (const auto& steps : densities) {
    ASSERT_NEAR(mass(steps), 1, 1e-12);
    Layers layers;
    for (const auto [width, height] : steps) layers.add_step(width, height);
    layers.close();
    double before = 0;
    for (double s = 1e-3; s < 1e4; s *= 1.1) {
      const double bound = layers.log_bound(s);
      EXPECT_GE(bound, std::log(characteristic(steps, s)) - 1e-9) << s;
      EXPECT_LE(bound, before) << s;  // holds for all larger s too
      before = bound;
    }
    // All mass is in the layers: the bound goes to 0.
    EXPECT_LT(before, std::log(0.1));
  }
}

TEST(Layers, AreExactForASmallArgumentOfOneUniform) {
  Layers layers;
  layers.add_step(2, 0.5);
  layers.close();
  EXPECT_NEAR(layers.log_bound(0.1), std::log(std::sin(0.1) / 0.1), 1e-7);
}

TEST(Layers, CountWhatTheyMissAsAnAtom) {
  Layers layers;
  layers.add_step(2, 0.25);
  layers.close();
  EXPECT_NEAR(layers.log_bound(1e9), std::log(0.5), 1e-5);
}

}  // namespace
}  // namespace dpbudget::contour
