#include "dpbudget/fl/convergence/lowy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr LowyRun ten_silos{.smoothness = 2,
                            .gradient_variance = 0.9,
                            .silo_heterogeneity = 0.3,
                            .noise_std = 0.2,
                            .dimension = 5,
                            .silos = 10,
                            .participants = 4,
                            .batch = 6};

void expect_sum(const LowyBound& bound) {
  EXPECT_NEAR(bound.optimisation + bound.batches + bound.silos + bound.privacy, bound.total, 1e-15 * bound.total);
}

// fl/convergence/proofs.md, 6.1
TEST(LowyVariance, IsLemmaE5) {
  const LowyVariance v = lowy_variance(ten_silos);
  EXPECT_NEAR(v.batches, 0.9 / 24, 1e-16);
  EXPECT_NEAR(v.silos, (1 - 3.0 / 9) * 0.3 / 4, 1e-16);
  EXPECT_NEAR(v.privacy, 5 * 0.04 / 4, 1e-16);
  LowyRun all = ten_silos;
  all.participants = 10;
  EXPECT_NEAR(lowy_variance(all).silos, 0, 1e-17);
  all.participants = all.silos = 1;
  EXPECT_EQ(lowy_variance(all).silos, 0);
}

TEST(LowyBound, OfMinibatchesIsLeastAtItsBestStep) {
  for (const double noise : {0.0, 0.2, 20.0})
    for (const std::uint64_t rounds : {1U, 7U, 1000U}) {
      LowyRun run = ten_silos;
      run.noise_std = noise;
      const double step = lowy_minibatch_best_step(run, 3, rounds);
      const LowyBound least = lowy_minibatch_bound(run, 3, step, rounds);
      expect_sum(least);
      EXPECT_LT(least.total, lowy_minibatch_bound(run, 3, 0.99 * step, rounds).total);
      EXPECT_LT(least.total, lowy_minibatch_bound(run, 3, std::min(1.01 * step, 0.499999), rounds).total);
    }
}

// Gradient descent at 1 / (2 beta): beta D^2 / R * 2.
TEST(LowyBound, OfMinibatchesIsGradientDescentsWithoutVariance) {
  const LowyRun plain{.smoothness = 2,
                      .gradient_variance = 0,
                      .silo_heterogeneity = 0,
                      .noise_std = 0,
                      .dimension = 5,
                      .silos = 1,
                      .participants = 1,
                      .batch = 1};
  EXPECT_NEAR(lowy_minibatch_best_step(plain, 3, 10), 0.25, 1e-15);
  EXPECT_NEAR(lowy_minibatch_bound(plain, 3, 0.25, 10).total, 9 / (0.25 * 10), 1e-12);
}

TEST(LowyBound, LemmaD7IsLeastAtItsBestStep) {
  const double moment = 1.5 * 1.5 + 5 * 0.04 / 4;
  const double step = lowy_lemma_d7_best_step(ten_silos, 1.5, 3, 50);
  const LowyBound least = lowy_lemma_d7(ten_silos, 1.5, 3, step, 50);
  expect_sum(least);
  EXPECT_NEAR(least.total, 3 * std::sqrt(moment / 50), 1e-14);
}

// For mu = 0 the sum has the closed form of the header, which gamma >= 2 beta makes an upper bound of it.
TEST(LowyBound, OfAcceleratedStepsStaysBelowItsClosedForm) {
  for (const double rounds : {1.0, 2.0, 10.0, 300.0})
    for (const double gamma : {4.0, 40.0}) {
      const LowyBound found = lowy_accelerated_bound(ten_silos, 0, 3, gamma, static_cast<std::uint64_t>(rounds));
      expect_sum(found);
      EXPECT_NEAR(found.optimisation, 2 * gamma * 9 / (rounds * (rounds + 1)), 1e-12);
      const double closed = (2 * rounds + 1) / (6 * gamma) * lowy_variance(ten_silos).total();
      EXPECT_LE(found.total - found.optimisation, closed * (1 + 1e-12));
      EXPECT_GE(found.total - found.optimisation, closed / 3);
    }
}

// AC-SA on f(w) = lambda w^2 / 2 in one dimension with noise of variance V^2 in every gradient: means and variances of
// its models are known exactly, as they are linear in the noise.
// fl/convergence/proofs.md, 6.3
RC_GTEST_PROP(LowyBound, OfAcceleratedStepsHoldsForQuadratics, ()) {
  const double beta = 2;
  const double mu = static_cast<double>(*rc::gen::inRange(0, 11)) / 10;
  const double curvature = mu + (beta - mu) * static_cast<double>(*rc::gen::inRange(0, 11)) / 10;
  const double gamma = 4 * (1 + static_cast<double>(*rc::gen::inRange(0, 30)) / 3);
  const int rounds = *rc::gen::inRange(1, 30);
  const double start = 3;
  LowyRun run = ten_silos;
  run.smoothness = beta;
  // The response of w_ag at the end to the start and to the noise of each round.
  const auto ended = [&](double at_start, int noisy) {
    double w = at_start;
    double ag = at_start;
    for (int r = 1; r <= rounds; ++r) {
      const double alpha = 2 / (r + 1.0);
      const double eta = 4 * gamma / (r * (r + 1.0));
      const double total = eta + (1 - alpha * alpha) * mu;
      const double md = (1 - alpha) * (mu + eta) / total * ag + alpha * ((1 - alpha) * mu + eta) / total * w;
      const double gradient = curvature * md + (r == noisy ? 1 : 0);
      w = (alpha * mu * md + ((1 - alpha) * mu + eta) * w - alpha * gradient) / (mu + eta);
      ag = alpha * w + (1 - alpha) * ag;
    }
    return ag;
  };
  const double mean = ended(start, 0);
  double variance = 0;
  for (int r = 1; r <= rounds; ++r) variance += std::pow(ended(0, r), 2);
  const double truth = curvature / 2 * (mean * mean + variance * lowy_variance(run).total());
  const double bound = lowy_accelerated_bound(run, mu, start, gamma, static_cast<std::uint64_t>(rounds)).total;
  RC_ASSERT(truth <= bound * (1 + 1e-9));
}

// SGD at a constant step on curvature w^2 / 2, exactly: the value at the mean of w_0, ..., w_(R-1).
// fl/convergence/proofs.md, 6.2
RC_GTEST_PROP(LowyBound, OfMinibatchesHoldsForQuadratics, ()) {
  const double curvature = 2 * static_cast<double>(*rc::gen::inRange(0, 21)) / 20;
  const double step = static_cast<double>(*rc::gen::inRange(1, 50)) / 100;
  const int rounds = *rc::gen::inRange(1, 60);
  const double shrinks = 1 - step * curvature;
  double mean = 0;
  for (int r = 0; r < rounds; ++r) mean += 3 * std::pow(shrinks, r) / rounds;
  double spread = 0;  // of the mean, by the noise of each round
  for (int noisy = 0; noisy + 1 < rounds; ++noisy) {
    double response = 0;
    for (int r = noisy + 1; r < rounds; ++r) response += step * std::pow(shrinks, r - noisy - 1) / rounds;
    spread += response * response;
  }
  const double truth = curvature / 2 * (mean * mean + spread * lowy_variance(ten_silos).total());
  const auto count = static_cast<std::uint64_t>(rounds);
  RC_ASSERT(truth <= lowy_minibatch_bound(ten_silos, 3, step, count).total * (1 + 1e-12));
}

// SGD with Stich's steps on a quadratic, exactly.
// fl/convergence/proofs.md, 6.2
RC_GTEST_PROP(LowyBound, OfStichsStepsHoldsForQuadratics, ()) {
  const double mu = std::pow(10, -static_cast<double>(*rc::gen::inRange(0, 20)) / 10);
  const double curvature = mu + (2 - mu) * static_cast<double>(*rc::gen::inRange(0, 11)) / 10;
  const int rounds = *rc::gen::inRange(1, 60);
  const double variance = lowy_variance(ten_silos).privacy;
  double mean = 1;
  double spread = 0;
  double risk = 0;
  double weights = 0;
  for (int r = 0; r < rounds; ++r) {
    const auto [step, weight] = stich_step(mu, 2, rounds, r);
    risk += weight * curvature / 2 * (mean * mean + spread);
    weights += weight;
    mean *= 1 - step * curvature;
    spread = std::pow(1 - step * curvature, 2) * spread + step * step * variance;
  }
  // Gradients are at most 2 at the models' means, and the mean of their squares counts, not the largest.
  const double lipschitz = 2 * std::sqrt(1 + 2 * variance / mu);
  const LowyBound found = lowy_stich_bound(ten_silos, lipschitz, mu, 1, static_cast<std::uint64_t>(rounds));
  expect_sum(found);
  RC_ASSERT(risk / weights <= found.total * (1 + 1e-9));
}

// fl/convergence/proofs.md, 6.4
TEST(LowyBound, OfStagesHalvesTheGap) {
  LowyRun quiet = ten_silos;
  quiet.noise_std = 0;
  quiet.gradient_variance = 0;
  quiet.silo_heterogeneity = 0;
  const double first = accelerated_stage(2, 0.1, 0, 1, 1).rounds;
  const LowyBound once = lowy_multi_stage_bound(quiet, 0.1, 1, static_cast<std::uint64_t>(first));
  const LowyBound twice = lowy_multi_stage_bound(quiet, 0.1, 1, static_cast<std::uint64_t>(2 * first));
  EXPECT_LE(once.total, 0.5);
  EXPECT_NEAR(twice.total, once.total * once.total, 1e-12);
  const LowyBound noisy = lowy_multi_stage_bound(ten_silos, 0.1, 1, 5000);
  expect_sum(noisy);
  EXPECT_LT(noisy.total, lowy_multi_stage_bound(ten_silos, 0.1, 1, 500).total);
}

TEST(LowyOrders, FollowTheBudget) {
  const LowyBudget budget{.records = 100, .epsilon = 1, .delta = 1e-5};
  LowyBudget half = budget;
  half.epsilon = 0.5;
  const LowyOrders convex = lowy_theorem21_orders(ten_silos, 1.5, 0, 3, budget);
  EXPECT_NEAR(convex.statistical, 1.5 * 3 / std::sqrt(400), 1e-15);
  EXPECT_NEAR(convex.privacy, 4.5 * std::sqrt(5 * std::log(1e5) / 4) / 100, 1e-15);
  EXPECT_NEAR(lowy_theorem21_orders(ten_silos, 1.5, 0.5, 3, half).privacy,
              4 * lowy_theorem21_orders(ten_silos, 1.5, 0.5, 3, budget).privacy, 1e-15);
  LowyRun all = ten_silos;
  all.participants = 10;
  EXPECT_NEAR(lowy_theorem31_orders(all, 1.5, 0, 3, half).privacy,
              std::pow(2, 0.8) * lowy_theorem31_orders(all, 1.5, 0, 3, budget).privacy, 1e-13);
  EXPECT_REFUSED("participants is 4, but must be 10", lowy_theorem31_orders(ten_silos, 1.5, 0, 3, budget));
}

TEST(LowyBound, RefusesWhatItIsNotFor) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED("step is 0.5", lowy_minibatch_bound(ten_silos, 3, 0.5, 10));
  EXPECT_REFUSED("distance is nan", lowy_minibatch_bound(ten_silos, nan, 0.1, 10));
  EXPECT_REFUSED("rounds is 0", lowy_minibatch_bound(ten_silos, 3, 0.1, 0));
  EXPECT_REFUSED("rounds is 9007199254740992", lowy_accelerated_bound(ten_silos, 0, 3, 4, 1ULL << 53U));
  EXPECT_REFUSED("gamma is 0.1", lowy_accelerated_bound(ten_silos, 0, 3, 0.1, 10));
  EXPECT_REFUSED("strong_convexity is 0", lowy_multi_stage_bound(ten_silos, 0, 1, 10));
  LowyRun many = ten_silos;
  many.participants = 11;
  EXPECT_REFUSED("participants is 11", lowy_variance(many));
}

}  // namespace
}  // namespace dpbudget::fl
