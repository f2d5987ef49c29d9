#include "dpbudget/accounting/loss_distribution/releases/batch_game.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "accounting/loss_distribution/releases/batch_pairs.h"
#include "dpbudget/accounting/loss_distribution/releases/batch_kernels.h"

namespace dpbudget::loss_distribution {
namespace {

double delta_of(const BatchLosses& losses, double epsilon) {
  double sum = losses.at_infinity;
  const auto reach = static_cast<double>(losses.mass.size() / 2);
  for (std::size_t i = 0; i < losses.mass.size(); ++i) {
    const double loss = (static_cast<double>(i) - reach) * losses.mesh;
    if (loss > epsilon) sum += losses.mass[i] * -std::expm1(epsilon - loss);
  }
  return sum;
}

BatchGame game(double rate, double deviation) {
  const double farthest = std::exp(6.5 / deviation);
  const auto reach = static_cast<std::size_t>(std::log1p(rate / (1 - rate) * farthest) / 0.01);
  return {rate, batch_kernels(rate, deviation, farthest), {0.01, 2 * reach, reach + 1, 2}};
}

// What adaptive strategies show: triangles of a dense family, chosen by the loss so far. Values at the points above
// stand in for those between.
class Strategies {
 public:
  Strategies(double rate, double deviation) : now_(2 * reach + 1) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= 4; ++j) {
        const double slant = i * 0.15;
        const double turn = (std::numbers::pi / 2 - slant) * (j / 2.0 - 1);
        // "Remove" and "add" are on a line, where cells may be narrow.
        BatchTriangle triangle = testing::in_ball(slant, turn, deviation);
        if (triangle.height < 1e-9) triangle.height = 0;
        rounds_.push_back(testing::outcomes(triangle, rate, triangle.height == 0 ? 0.01 : 0.25));
      }
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = std::max(0.0, 1 - ratio(i));
  }

  void play() {
    std::vector<double> next(now_.size());
    for (std::size_t i = 0; i < now_.size(); ++i)
      for (const auto& round : rounds_) {
        double sum = 0;
        for (const auto& [p, q] : round) sum += p > 0 ? p * at(ratio(i) * q / p) : 0;
        next[i] = std::max(next[i], sum);
      }
    now_ = next;
  }

  double at(double other) const {
    const double index = std::ceil(std::log(other) / mesh - 1e-9) + reach;
    if (index < 0) return std::max(0.0, 1 - other);
    return index < static_cast<double>(now_.size()) ? now_[static_cast<std::size_t>(index)] : 0;
  }

 private:
  static constexpr double mesh = 0.02;
  static constexpr int reach = 150;
  static double ratio(std::size_t i) { return std::exp((static_cast<double>(i) - reach) * mesh); }

  std::vector<std::vector<testing::BatchOutcome>> rounds_;
  std::vector<double> now_;
};

// accounting/loss_distribution/proofs.md, 4k.1, 4k.8 and 4k.9
TEST(BatchGame, IsNotBelowAdaptiveStrategies) {
  for (const double rate : {0.05, 0.3}) {
    BatchGame certified = game(rate, 1);
    Strategies strategies(rate, 1);
    for (std::size_t rounds = 1; rounds <= 3; ++rounds) {
      strategies.play();
      const BatchLosses losses = certified.losses(rounds);
      for (double epsilon = -2; epsilon <= 2.5; epsilon += 0.1)
        EXPECT_GE(delta_of(losses, epsilon), strategies.at(std::exp(epsilon)) - 1e-12) << rounds << ' ' << epsilon;
      // The strategies' mesh loses most where rounds tell little.
      if (rate > 0.1) {
        EXPECT_LE(delta_of(losses, 0.1), 1.2 * strategies.at(std::exp(0.1))) << rounds;
      }
    }
  }
}

// accounting/loss_distribution/proofs.md, 4k.8
TEST(BatchGame, GrowsWithRoundsAndRateAndFallsWithNoise) {
  BatchGame some = game(0.1, 1);
  BatchGame rarer = game(0.08, 1);
  BatchGame noisier = game(0.1, 1.2);
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    EXPECT_LT(delta_of(some.losses(4), epsilon), delta_of(some.losses(5), epsilon));
    EXPECT_LT(delta_of(rarer.losses(5), epsilon), delta_of(some.losses(5), epsilon));
    EXPECT_LT(delta_of(noisier.losses(5), epsilon), delta_of(some.losses(5), epsilon));
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
