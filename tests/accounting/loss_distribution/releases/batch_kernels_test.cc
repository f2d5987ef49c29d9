#include "dpbudget/accounting/loss_distribution/releases/batch_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>

#include "accounting/loss_distribution/releases/batch_pairs.h"

namespace dpbudget::loss_distribution {
namespace {

// By cells of outcomes, which tell no more: at all compared ratios.
BatchRound told(const BatchTriangle& triangle, double rate, const std::vector<double>& all_others) {
  BatchRound round;
  const auto cells = testing::outcomes(triangle, rate, 0.1);
  for (const double others : all_others) {
    const double ratio = 1 + rate / (1 - rate) * others;
    double above = 0;
    double below = 0;
    for (const auto& [p, q] : cells) {
      above += std::max(0.0, p - ratio * q);
      below += std::max(0.0, q - ratio * p);
    }
    round.above.push_back(above / rate);
    round.below.push_back(below / rate);
  }
  return round;
}

// How much is left where rounds are compared with the best mean of two.
double least_excess(const BatchRound& triangle, const BatchKernels& kernels) {
  double least = 1;
  for (const BatchRound& a : kernels.rounds)
    for (const BatchRound& b : kernels.rounds)
      for (int weight = 0; weight <= 10; ++weight) {
        double most = 0;
        for (std::size_t i = 0; i < kernels.others.size(); ++i) {
          const auto mean = [&](double of_a, double of_b) { return of_a + 0.1 * weight * (of_b - of_a); };
          most = std::max({most, triangle.above[i] - mean(a.above[i], b.above[i]),
                           triangle.below[i] - mean(a.below[i], b.below[i])});
        }
        least = std::min(least, most);
      }
  return least;
}

// accounting/loss_distribution/proofs.md, 4k.6 and 4k.7
TEST(BatchKernels, BoundEveryTriangleByAMean) {
  for (const double deviation : {0.6, 1.1, 3.0}) {
    const BatchKernels kernels = batch_kernels(0.1, deviation, std::exp(5 / deviation));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const double slant = i * std::numbers::pi / 13;
        const double turn = (std::numbers::pi / 2 - slant) * (j / 2.5 - 1);
        const BatchRound round = told(testing::in_ball(slant, turn, deviation), 0.1, kernels.others);
        EXPECT_LE(least_excess(round, kernels), 1e-9) << slant << ' ' << turn;
      }
  }
}

TEST(BatchKernels, HoldEachRoundExchanged) {
  const BatchKernels kernels = batch_kernels(0.01, 1, 500);
  for (const BatchRound& round : kernels.rounds)
    EXPECT_TRUE(std::ranges::any_of(kernels.rounds, [&](const BatchRound& other) {
      return other.above == round.below && other.below == round.above;
    }));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
