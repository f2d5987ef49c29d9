#include "dpbudget/fl/algorithms/accelerated_sgd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// Minimises (x - target)' H (x - target) / 2 + mu / 2 |x|^2, H the diagonal of curvatures.
class Quadratic {
 public:
  Quadratic(const Algorithm& algorithm, const fl::RunRequest& run, Vector curvatures, Vector target)
      : algorithm_(algorithm), run_(settle(run)), curvatures_(std::move(curvatures)), target_(std::move(target)) {
    state_.model = Vector::Zero(target_.size());
    algorithm_.prepare(run_, state_);
  }

  void round(double noise_std = 0) {
    const Round now{run_, Phase::training, ++rounds_, 0, static_cast<std::uint64_t>(target_.size()),
                    8,    noise_std,       {},        1, clients};
    // Two kinds of batches and of noise, which come to 8 records and noise_std in the mean of squares.
    const Vector direction = curvatures_.cwiseProduct(state_.model - target_);
    const Update few{direction, {}, 0.25, 0, 6, noise_std * std::sqrt(1.5)};
    const Update many{direction, {}, 0.25, 0, 12, noise_std * std::sqrt(0.5)};
    algorithm_.server(now, std::vector<Update>{few, many, few, many}, state_);
  }

  // Above the least.
  double excess() const {
    const Vector least =
        curvatures_.cwiseProduct(target_).cwiseQuotient((curvatures_.array() + run_->regularisation).matrix());
    const auto value = [&](const Vector& x) {
      return (x - target_).cwiseAbs2().dot(curvatures_) / 2 + run_->regularisation / 2 * x.squaredNorm();
    };
    return value(algorithm_.output(state_)) - value(least);
  }

  static constexpr std::uint64_t clients = 10;

  const ServerState& state() const { return state_; }
  const Vector& output() const { return algorithm_.output(state_); }

 private:
  const Algorithm& algorithm_;
  SettledRun run_;
  Vector curvatures_;
  Vector target_;
  ServerState state_;
  std::uint64_t rounds_ = 0;
};

fl::RunRequest smooth(const std::string& algorithm, double regularisation) {
  fl::RunRequest run = kind_of(algorithm);
  run.rounds = 1000;
  run.regularisation = regularisation;
  run.options["smoothness"] = 1.0;
  run.options.erase("step");
  return run;
}

// Two rounds by the formulas, in one coordinate: alpha = 1, 2/3; gamma = 2, eta = 4, 4/3; mu = 1/2.
TEST(AcceleratedSgd, FollowsTwoRoundsByHand) {
  const AcceleratedSgd algorithm;
  Quadratic run(algorithm, smooth("ac-sa", 0.5), Vector{{1}}, Vector{{9}});
  EXPECT_EQ(run.state().model(0), 0);
  run.round();
  // g = -9: w = (0.5 * 0 + 4 * 0 + 9) / 4.5 = 2 = w_ag; then w_md is between equal points.
  EXPECT_NEAR(run.output()(0), 2, 1e-15);
  EXPECT_NEAR(run.state().model(0), 2, 1e-15);
  run.round();
  // g = 2 - 9 + 1 = -6: w = (1/3 * 2 + (1/6 + 4/3) 2 + 4) / (11/6) = 46/11; w_ag = 2/3 w + 1/3 2.
  const double w = 46.0 / 11;
  const double aggregate = 2 * w / 3 + 2.0 / 3;
  EXPECT_NEAR(run.output()(0), aggregate, 1e-14);
  // alpha = 1/2, eta = 2/3: w_md = [1/2 (7/6) w_ag + 1/2 (1/4 + 2/3) w] / (2/3 + 3/8).
  EXPECT_NEAR(run.state().model(0), (7.0 / 12 * aggregate + 11.0 / 24 * w) / (25.0 / 24), 1e-14);
}

// Ghadimi and Lan 2012: without noise the excess is at most 2 gamma |x*|^2 / (R (R + 1)), for every curvature; gradient
// descent with step 1 / beta has about |x*|^2 / (4 R) on the worst of them.
TEST(AcceleratedSgd, ConvergesAtTheAcceleratedRate) {
  const AcceleratedSgd algorithm;
  Vector curvatures(40);
  for (Eigen::Index i = 0; i < 40; ++i) curvatures(i) = std::pow(10.0, -0.1 * static_cast<double>(i));
  const Vector target = Vector::Ones(40);
  Quadratic accelerated(algorithm, smooth("ac-sa", 0), curvatures, target);
  Vector descent = Vector::Zero(40);
  double plain = 0;
  for (int round = 1; round <= 200; ++round) {
    accelerated.round();
    EXPECT_LE(accelerated.excess(), 4.0 * 40 / (round * (round + 1.0))) << round;
    descent -= curvatures.cwiseProduct(descent - target);
    plain = (descent - target).cwiseAbs2().dot(curvatures) / 2;
  }
  EXPECT_LT(accelerated.excess(), plain / 4);
}

TEST(AcceleratedSgd, StaysInTheBallAndFindsItsBestPoint) {
  const AcceleratedSgd algorithm;
  auto limited = smooth("ac-sa", 0);
  limited.options["radius"] = 1.0;
  Quadratic run(algorithm, limited, Vector::Ones(2), Vector{{3, 4}});
  for (int round = 1; round <= 300; ++round) {
    run.round();
    EXPECT_LE(run.output().norm(), 1 + 1e-12);
  }
  EXPECT_LT((run.output() - Vector{{0.6, 0.8}}).norm(), 1e-3);
}

// Without noise V = 0: stages of ceil(4 sqrt(2 beta / mu)) rounds, each of which takes at least half of the excess.
TEST(MultiStageSgd, RestartsFromTheOutputOfEveryStage) {
  const MultiStageSgd algorithm;
  const double mu = 0.01;
  Vector curvatures(20);
  for (Eigen::Index i = 0; i < 20; ++i) curvatures(i) = std::pow(10.0, -0.1 * static_cast<double>(i));
  Quadratic run(algorithm, smooth("multi-stage-ac-sa", mu), curvatures, Vector::Ones(20));
  const int stage = static_cast<int>(std::ceil(4 * std::sqrt(2 / mu)));
  double before = run.excess();
  for (int k = 1; k <= 5; ++k) {
    for (int round = 1; round <= stage; ++round) {
      EXPECT_EQ(run.state().memory[2](0), round - 1);
      run.round();
    }
    EXPECT_EQ(run.state().memory[0], run.output());
    EXPECT_LT((run.state().model - run.output()).norm(), 1e-14);
    EXPECT_LE(run.excess(), before / 2);
    before = run.excess();
  }
}

// With noise, V^2 = (d s^2 + C^2 / m) / participants plus (1 - 3 / 9) upsilon^2 / 4 for 4 of 10 clients, and the rounds
// and gamma of stage k by appendix E.1.
TEST(MultiStageSgd, HasStagesThatGrowWithTheNoise) {
  const MultiStageSgd algorithm;
  auto noisy = smooth("dp-multi-stage-ac-sa", 0.5);
  noisy.options["gap"] = 3.0;
  noisy.options["heterogeneity"] = 0.6;
  const double noise_std = 0.5;
  Quadratic run(algorithm, noisy, Vector{{1, 1}}, Vector{{1, 2}});
  const double variance = (2 * noise_std * noise_std + 0.25 / 8) / 4 + 2.0 / 3 * 0.6 / 4;
  for (int k = 1; k <= 3; ++k) {
    const double rounds =
        std::ceil(std::max(4 * std::sqrt(2 / 0.5), 128 * variance * std::pow(2, k + 1) / (3 * 0.5 * 3)));
    const double gamma =
        std::max(2.0, std::sqrt(0.5 * variance * rounds * (rounds + 1) * (rounds + 2) * std::pow(2, k - 1) / (3 * 3)));
    run.round(noise_std);
    EXPECT_EQ(run.state().memory[2](1), k);
    EXPECT_EQ(run.state().memory[2](2), rounds) << k;
    EXPECT_NEAR(run.state().memory[2](3), gamma, 1e-12 * gamma) << k;
    for (double round = 2; round <= rounds; ++round) run.round(noise_std);
    EXPECT_EQ(run.state().memory[2](0), 0);
  }
}

}  // namespace
}  // namespace dpbudget::fl
