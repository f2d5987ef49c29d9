#include "dpbudget/fl/convergence/chang.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Fig. 3, whose gradient variance is not printed.
ChangProblem figure3() {
  return {.distance = 1,
          .control_error = 1,
          .gradient_variance = 1,
          .batch = 500,
          .users = 40,
          .participants = 8,
          .server_step = 2,
          .smoothness = 2};
}
const double sigma0 = std::sqrt(8.0);

TEST(ChangConvergence, IsCorollaryOneByHand) {
  const ChangBound bound = chang_convergence(figure3(), NoiseSchedule(ConstantNoise{}, sigma0, 200), 700);
  EXPECT_NEAR(bound.noise, 5 * (16 + 3.0 / (25 * 4 * 200)) * 8, 1e-10);
  EXPECT_NEAR(bound.control, 11 * 40.0 / (8 * 700), 1e-15);
  EXPECT_NEAR(bound.sampling, 15 * (1 + 200 / 4.0) / (200 * 8 * 500.0), 1e-15);
  EXPECT_NEAR(bound.total, 2 / std::sqrt(700) * std::sqrt(bound.noise + bound.control + bound.sampling), 1e-12);
}

TEST(ChangConvergence, OrdersTheSchemesAsFigure3Does) {
  for (const std::uint64_t rounds : {300U, 500U, 700U}) {
    const auto total = [&](const NoiseShape& shape) {
      return chang_convergence(figure3(), NoiseSchedule(shape, sigma0, 200), rounds).total;
    };
    EXPECT_LT(total(StepDecay{0.99998, 200}), total(RoundDecay{0.998, 200}));
    EXPECT_LT(total(RoundDecay{0.998, 200}), total(ConstantNoise{}));
  }
}

// What a scheme gains at one round it has paid for: spread evenly over as many rounds, the same sum of 1 / sigma^2
// gives a lower bound, by Jensen's inequality.
RC_GTEST_PROP(ChangConvergence, IsLeastForConstantNoiseAtEqualBudgetAndRounds, ()) {
  const auto rounds = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto steps = *rc::gen::inRange<std::uint64_t>(1, 300);
  const auto hold = *rc::gen::inRange<std::uint64_t>(0, rounds + 1);
  const NoiseSchedule decaying(RoundDecay{*rc::gen::element(0.999, 0.99, 0.9), hold}, sigma0, steps);
  const double equal_noise = std::sqrt(static_cast<double>(rounds * steps) / decaying.sum_inverse_variance(rounds));
  const NoiseSchedule constant(ConstantNoise{}, equal_noise, steps);
  RC_ASSERT(chang_convergence(figure3(), constant, rounds).total <=
            chang_convergence(figure3(), decaying, rounds).total * (1 + 1e-12));
}

TEST(ChangConvergence, RevertsToCorollaryOneWhereNothingDecays) {
  const double constant = chang_convergence(figure3(), NoiseSchedule(ConstantNoise{}, sigma0, 200), 700).total;
  for (const NoiseShape& shape :
       {NoiseShape(RoundDecay{0.9, 700}), NoiseShape(StepDecay{0.9, 700}), NoiseShape(RoundDecay{1, 10})})
    EXPECT_NEAR(chang_convergence(figure3(), NoiseSchedule(shape, sigma0, 200), 700).total, constant, 1e-12);
}

TEST(ChangConvergence, FallsLikeOneOverTheRootOfTheRounds) {
  const NoiseSchedule schedule(ConstantNoise{}, sigma0, 20);
  const double many = chang_convergence(figure3(), schedule, 1000000).total;
  EXPECT_NEAR(many / chang_convergence(figure3(), schedule, 4000000).total, 2, 1e-4);
}

RC_GTEST_PROP(ChangConvergence, IsNotBelowTheoremThree, ()) {
  const std::uint64_t hold = *rc::gen::inRange<std::uint64_t>(0, 10);
  const double beta = *rc::gen::element(1.0, 0.999, 0.9, 0.5);
  const std::vector<NoiseShape> shapes = {ConstantNoise{}, RoundDecay{beta, hold}, StepDecay{beta, hold}};
  const NoiseSchedule schedule(*rc::gen::elementOf(shapes), *rc::gen::element(0.1, 1.0, 30.0),
                               *rc::gen::inRange<std::uint64_t>(1, 30));
  const auto rounds = *rc::gen::inRange<std::uint64_t>(10, 30);
  const ChangBound theorem = chang_theorem3(figure3(), schedule, rounds);
  const ChangBound corollary = chang_convergence(figure3(), schedule, rounds);
  RC_ASSERT(theorem.noise <= corollary.noise * (1 + 1e-12));
  RC_ASSERT(theorem.noise >= 0.98 * corollary.noise);
}

TEST(ChangConvergence, IsLeastAtItsBestRate) {
  const ChangBound bound = chang_theorem3(figure3(), NoiseSchedule(ExponentialDecay{0.9}, 1, 5), 20);
  const auto at = [&](double eta) { return 1 / (eta * 20) + eta * (bound.noise + bound.control + bound.sampling); };
  EXPECT_NEAR(at(bound.best_rate), bound.total, 1e-12);
  EXPECT_GT(at(1.01 * bound.best_rate), bound.total);
  EXPECT_GT(at(0.99 * bound.best_rate), bound.total);
}

TEST(ChangConvergence, RefusesByName) {
  const NoiseSchedule schedule(ConstantNoise{}, 1, 2);
  const auto refused = [&](double ChangProblem::* member, double value) {
    ChangProblem problem = figure3();
    problem.*member = value;
    return chang_convergence(problem, schedule, 5);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, -1.0}) {
    EXPECT_REFUSED("distance", refused(&ChangProblem::distance, bad));
    EXPECT_REFUSED("control_error", refused(&ChangProblem::control_error, bad));
    EXPECT_REFUSED("gradient_variance", refused(&ChangProblem::gradient_variance, bad));
    EXPECT_REFUSED("batch", refused(&ChangProblem::batch, bad));
    EXPECT_REFUSED("users", refused(&ChangProblem::users, bad));
    EXPECT_REFUSED("participants", refused(&ChangProblem::participants, bad));
    EXPECT_REFUSED("server_step", refused(&ChangProblem::server_step, bad));
    EXPECT_REFUSED("smoothness", refused(&ChangProblem::smoothness, bad));
  }
  EXPECT_REFUSED("participants", refused(&ChangProblem::participants, 41));
  EXPECT_REFUSED("rounds", chang_convergence(figure3(), schedule, 0));
  EXPECT_REFUSED("hold", chang_convergence(figure3(), NoiseSchedule(RoundDecay{0.9, 6}, 1, 2), 5));
  EXPECT_REFUSED("schedule", chang_convergence(figure3(), NoiseSchedule(ExponentialDecay{0.9}, 1, 2), 5));
}

}  // namespace
}  // namespace dpbudget::fl
