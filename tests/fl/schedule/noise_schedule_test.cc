#include "dpbudget/fl/schedule/noise_schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "accounting/base/nan.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

const double infinity = std::numeric_limits<double>::infinity();

TEST(NoiseSchedule, IsEquationSixOfChang) {
  const NoiseSchedule schedule(RoundDecay{0.81, 3}, 2, 4);
  for (std::uint64_t step = 1; step <= 4; ++step) {
    EXPECT_EQ(schedule.noise(1, step), 2);
    EXPECT_EQ(schedule.noise(3, step), 2);
    EXPECT_DOUBLE_EQ(schedule.noise(4, step), 1.8);  // the variance falls by 0.81, the noise by 0.9
    EXPECT_DOUBLE_EQ(schedule.noise(5, step), 1.62);
  }
}

TEST(NoiseSchedule, IsEquationSevenOfChang) {
  const NoiseSchedule schedule(StepDecay{0.81, 1}, 2, 3);
  EXPECT_EQ(schedule.noise(1, 3), 2);
  EXPECT_EQ(schedule.noise(2, 1), 2);  // beta^0
  EXPECT_DOUBLE_EQ(schedule.noise(2, 2), 1.8);
  EXPECT_DOUBLE_EQ(schedule.noise(2, 3), 1.62);
  EXPECT_DOUBLE_EQ(schedule.noise(3, 1), 2 * 0.729);
}

TEST(NoiseSchedule, TakesTheOtherShapes) {
  EXPECT_EQ(NoiseSchedule(ConstantNoise{}, 3, 2).noise(1000000, 2), 3);
  EXPECT_DOUBLE_EQ(NoiseSchedule(ExponentialDecay{0.5}, 8, 1).noise(4, 1), 1);
  EXPECT_DOUBLE_EQ(NoiseSchedule(ExponentialDecay{2}, 8, 1).noise(4, 1), 64);
  const NoiseSchedule milestones(Milestones{0.5, {3, 4, 10}}, 8, 1);
  for (const auto& [round, noise] :
       std::map<std::uint64_t, double>{{1, 8}, {2, 8}, {3, 4}, {4, 2}, {9, 2}, {10, 1}, {99, 1}})
    EXPECT_DOUBLE_EQ(milestones.noise(round, 1), noise) << round;
  const NoiseSchedule stairs(Staircase{0.5, 10}, 8, 1);
  EXPECT_EQ(stairs.noise(10, 1), 8);
  EXPECT_EQ(stairs.noise(11, 1), 4);
  EXPECT_EQ(stairs.noise(30, 1), 2);
  const NoiseSchedule rows(NoiseTable{{3, 2}, 1}, 10, 5);
  EXPECT_EQ(rows.noise(2, 5), 20);
  EXPECT_EQ(rows.last_round(), 2U);
  const NoiseSchedule steps(NoiseTable{{4, 3, 2, 1}, 2}, 1, 2);
  EXPECT_EQ(steps.noise(1, 2), 3);
  EXPECT_EQ(steps.noise(2, 1), 2);
}

TEST(NoiseSchedule, KnowsWhetherARoundHasOneNoise) {
  EXPECT_TRUE(NoiseSchedule(RoundDecay{0.9, 0}, 1, 5).is_flat_in_rounds());
  EXPECT_FALSE(NoiseSchedule(StepDecay{0.9, 0}, 1, 5).is_flat_in_rounds());
  EXPECT_TRUE(NoiseSchedule(StepDecay{0.9, 0}, 1, 1).is_flat_in_rounds());
  EXPECT_FALSE(NoiseSchedule(NoiseTable{{4, 3}, 2}, 1, 2).is_flat_in_rounds());
}

NoiseShape any_shape(int kind, double factor, std::uint64_t count, std::size_t table_values, std::uint64_t steps) {
  switch (kind) {
    case 0:
      return ConstantNoise{};
    case 1:
      return RoundDecay{factor, count};
    case 2:
      return StepDecay{factor, count};
    case 3:
      return ExponentialDecay{factor};
    case 4:
      return Staircase{factor, count + 1};
    case 5:
      return InverseRoot{};
    case 6:
      return InverseDecay{factor, static_cast<double>(count) / 3};
    case 7:
      return Milestones{factor, {count + 1, count + 2, 2 * count + 5}};
    default:
      break;
  }
  std::vector<double> noises;
  for (std::size_t i = 0; i < table_values * steps; ++i) noises.push_back(factor + 0.1 * static_cast<double>(i % 7));
  return NoiseTable{std::move(noises), steps};
}

RC_GTEST_PROP(NoiseSchedule, SumsInverseVariancesAsItsStepsDo, ()) {
  const int kind = *rc::gen::inRange(0, 9);
  const double factor = *rc::gen::element(1.0, 0.999999999, 0.99, 0.9, 0.7);
  const std::uint64_t steps = *rc::gen::inRange<std::uint64_t>(1, 6);
  const std::uint64_t rounds = *rc::gen::inRange<std::uint64_t>(0, 40);
  const auto count = *rc::gen::inRange<std::uint64_t>(0, 50);
  const double base = *rc::gen::element(1e-3, 1.0, 37.5);
  const NoiseSchedule schedule(any_shape(kind, factor, count, 40, steps), base, steps);
  Wide sum = 0;
  for (std::uint64_t r = 1; r <= rounds; ++r)
    for (std::uint64_t t = 1; t <= steps; ++t) {
      const Wide noise = schedule.noise(r, t);
      sum += 1 / (noise * noise);
    }
  const double found = schedule.sum_inverse_variance(rounds);
  RC_ASSERT(std::abs(found - static_cast<double>(sum)) <= 2e-13 * static_cast<double>(sum));
}

RC_GTEST_PROP(NoiseSchedule, NeverRisesWhereTheFactorIsBelowOne, ()) {
  const int kind = *rc::gen::inRange(0, 5);
  const NoiseSchedule schedule(any_shape(kind, 0.93, *rc::gen::inRange<std::uint64_t>(0, 20), 0, 3), 5, 3);
  const auto round = *rc::gen::inRange<std::uint64_t>(1, 100);
  RC_ASSERT(schedule.noise(round + 1, 1) <= schedule.noise(round, 3));
  RC_ASSERT(schedule.noise(round, 2) <= schedule.noise(round, 1));
}

TEST(NoiseSchedule, HasClosedFormsNextToOne) {
  // beta = 1 - 2^-40, where 1 - (1/beta)^n over 1 - 1/beta has lost twelve digits.
  const double beta = 1 - 0x1p-40;
  const Wide l = -log(Wide(beta));
  const Wide truth = exp(l) * (exp(l * 1000) - 1) / (exp(l) - 1) + 20;
  EXPECT_NEAR(NoiseSchedule(RoundDecay{beta, 20}, 1, 1).sum_inverse_variance(1020) / static_cast<double>(truth), 1,
              1e-14);
  EXPECT_EQ(NoiseSchedule(RoundDecay{1, 20}, 1, 5).sum_inverse_variance(100), 500);
  EXPECT_EQ(NoiseSchedule(StepDecay{1, 20}, 1, 5).sum_inverse_variance(100), 500);
  EXPECT_EQ(NoiseSchedule(RoundDecay{0.9, 100}, 1, 5).sum_inverse_variance(7), 35);
}

TEST(NoiseSchedule, TakesABillionRounds) {
  const NoiseSchedule schedule(RoundDecay{1 - 0x1p-30, 0}, 1, 1);
  EXPECT_NEAR(schedule.sum_inverse_variance(1U << 30U) * 0x1p-30, std::expm1(1.0), 1e-8);
  EXPECT_NEAR(schedule.noise(1U << 30U, 1), std::exp(-0.5), 1e-8);
}

TEST(NoiseSchedule, RefusesWhatLeavesTheRangeOfADouble) {
  EXPECT_REFUSED("noise is", NoiseSchedule(ExponentialDecay{0.5}, 1, 1).noise(2000, 1));
  EXPECT_REFUSED("noise is", NoiseSchedule(ExponentialDecay{0.5}, 1e200, 1).noise(1060, 1));  // factor 0x1p-1059
  EXPECT_REFUSED("noise is", NoiseSchedule(ExponentialDecay{2}, 1, 1).noise(2000, 1));
  EXPECT_REFUSED("the sum of inverse variances is",
                 NoiseSchedule(ExponentialDecay{0.5}, 1, 1).sum_inverse_variance(600));
  EXPECT_REFUSED("the sum of inverse variances is", NoiseSchedule(ConstantNoise{}, 1e-200, 1).sum_inverse_variance(1));
  EXPECT_REFUSED("the sum of inverse variances is", NoiseSchedule(ConstantNoise{}, 1e200, 1).sum_inverse_variance(1));
}

TEST(NoiseSchedule, RefusesByName) {
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_REFUSED("base_noise", NoiseSchedule(ConstantNoise{}, bad, 1));
    EXPECT_REFUSED("factor", NoiseSchedule(ExponentialDecay{bad}, 1, 1));
    EXPECT_REFUSED("factor", NoiseSchedule(Staircase{bad, 1}, 1, 1));
    EXPECT_REFUSED("beta", NoiseSchedule(RoundDecay{bad, 1}, 1, 1));
    EXPECT_REFUSED("beta", NoiseSchedule(StepDecay{bad, 1}, 1, 1));
    EXPECT_REFUSED("noise", NoiseSchedule(NoiseTable{{1, bad}, 1}, 1, 1));
  }
  EXPECT_REFUSED("beta", NoiseSchedule(RoundDecay{1.001, 1}, 1, 1));
  EXPECT_REFUSED("hold", NoiseSchedule(RoundDecay{0.5, std::uint64_t{1} << 60U}, 1, 1));
  EXPECT_REFUSED("every", NoiseSchedule(Staircase{0.5, 0}, 1, 1));
  EXPECT_REFUSED("steps", NoiseSchedule(NoiseTable{{1, 2, 3}, 2}, 1, 2));
  EXPECT_REFUSED("steps", NoiseSchedule(NoiseTable{{1}, 0}, 1, 2));
  EXPECT_REFUSED("local_steps", NoiseSchedule(ConstantNoise{}, 1, 0));
  EXPECT_REFUSED("local_steps", NoiseSchedule(NoiseTable{{1, 2}, 2}, 1, 4));
  const NoiseSchedule table(NoiseTable{{1, 2}, 1}, 1, 1);
  EXPECT_REFUSED("round", table.noise(0, 1));
  EXPECT_REFUSED("round is 3, but must be at most 2, where the noise table ends", table.noise(3, 1));
  EXPECT_REFUSED("rounds is 3, but must be at most 2", table.sum_inverse_variance(3));
  EXPECT_REFUSED("step", table.noise(1, 0));
  EXPECT_REFUSED("step", table.noise(1, 2));
  EXPECT_REFUSED("round", NoiseSchedule(ConstantNoise{}, 1, 1).noise(std::uint64_t{1} << 60U, 1));
}

}  // namespace
}  // namespace dpbudget::fl
