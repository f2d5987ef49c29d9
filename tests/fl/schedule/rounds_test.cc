#include "dpbudget/fl/schedule/rounds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/fl/schedule/solve.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

RoundRecipe recipe(double user_rate = 0.2) { return {Rate(user_rate), parse("wor(0.2, gaussian(?))").event}; }

TEST(ScheduledRounds, AreEventsWithEqualNoisesTogether) {
  const NoiseSchedule per_round(RoundDecay{0.25, 1}, 8, 10);
  EXPECT_EQ(to_text(round_event(per_round, recipe(), 2)), "participates(0.2, 10 x wor(0.2, gaussian(4)))");
  EXPECT_EQ(to_text(round_event(per_round, recipe(1), 1)), "10 x wor(0.2, gaussian(8))");
  const NoiseSchedule per_step(StepDecay{0.25, 1}, 8, 3);
  EXPECT_EQ(to_text(round_event(per_step, recipe(), 1)), "participates(0.2, 3 x wor(0.2, gaussian(8)))");
  EXPECT_EQ(to_text(round_event(per_step, recipe(), 2)),
            "participates(0.2, wor(0.2, gaussian(8)) + wor(0.2, gaussian(4)) + wor(0.2, gaussian(2)))");
  const NoiseSchedule table(NoiseTable{{3, 3, 2}, 3}, 1, 3);
  EXPECT_EQ(to_text(round_event(table, recipe(1), 1)), "2 x wor(0.2, gaussian(3)) + wor(0.2, gaussian(2))");
}

RC_GTEST_PROP(ScheduledRounds, AreTheEventsOfTheirRounds, ()) {
  const std::uint64_t count = *rc::gen::inRange<std::uint64_t>(0, 12);
  const double factor = *rc::gen::element(1.0, 0.5, 0.97);
  const std::vector<NoiseShape> shapes = {
      ConstantNoise{},          RoundDecay{factor, count},         StepDecay{factor, count},
      ExponentialDecay{factor}, Staircase{factor, count + 1},      InverseRoot{},
      InverseDecay{2, 0.5},     Milestones{factor, {2, count + 3}}};
  const NoiseSchedule schedule(*rc::gen::elementOf(shapes), 3, *rc::gen::inRange<std::uint64_t>(1, 4));
  const std::uint64_t rounds = *rc::gen::inRange<std::uint64_t>(0, 20);
  const sequence::Sequence found = scheduled_rounds(schedule, recipe(), Adjacency::replace_one, rounds, 1e-3);
  sequence::Sequence expected{{}, Adjacency::replace_one};
  for (std::uint64_t r = 1; r <= rounds; ++r) expected.add(round_event(schedule, recipe(), r));
  RC_ASSERT(found.is_exact);
  RC_ASSERT(found.first(rounds) == expected.first(rounds));
  RC_ASSERT(found.stretches.size() == expected.stretches.size());
}

TEST(ScheduledRounds, OfOneNoiseAreOneStretch) {
  const auto rounds = [](const NoiseShape& shape) {
    return scheduled_rounds(NoiseSchedule(shape, 3, 4), recipe(), Adjacency::replace_one, 1000000000, 1e-3);
  };
  EXPECT_EQ(rounds(ConstantNoise{}).stretches.size(), 1U);
  EXPECT_EQ(rounds(RoundDecay{1, 5}).stretches.size(), 1U);
  EXPECT_EQ(rounds(Staircase{0.5, 100000000}).stretches.size(), 10U);
  EXPECT_REFUSED("the noise of the first 1000000000 rounds changes", rounds(RoundDecay{1 - 1e-12, 5}));
}

TEST(ScheduledRounds, AreRoundedToLessNoiseWhenTheyAreMany) {
  const NoiseSchedule schedule(StepDecay{0.9999, 10}, 5, 50);
  const auto coarse = scheduled_rounds(schedule, recipe(), Adjacency::replace_one, 60, 1e-3);
  EXPECT_FALSE(coarse.is_exact);
  EXPECT_EQ(coarse.rounds(), 60U);
  // Each noise is at most the true one, and not by more than the tolerance.
  for (std::uint64_t r : {1U, 11U, 40U, 60U}) {
    sequence::Sequence one{{}, Adjacency::replace_one};
    one.add(round_event(schedule, recipe(), r));
    std::uint64_t before = 0;
    const Event* event = nullptr;
    for (const auto& stretch : coarse.stretches) {
      if (before < r) event = &stretch.round;
      before += stretch.count;
    }
    sequence::Sequence other{{}, Adjacency::replace_one};
    other.add(*event);
    const double exact = sequence::make_accountant(AccountantName::renyi, one, 1e-5).value()->epsilon(1).value().upper;
    const double rounded =
        sequence::make_accountant(AccountantName::renyi, other, 1e-5).value()->epsilon(1).value().upper;
    EXPECT_GE(rounded, exact * (1 - 1e-12));
    EXPECT_LE(rounded, exact * 1.003);
  }
}

TEST(ScheduledRounds, RefuseByName) {
  const NoiseSchedule schedule(ConstantNoise{}, 1, 2);
  const auto round = [&](const RoundRecipe& bad) { return round_event(schedule, bad, 1); };
  EXPECT_REFUSED("user_rate", round({Rate(0.0), recipe().step}));
  EXPECT_REFUSED("step", round({Rate(0.5), Gaussian{1}}));
  EXPECT_REFUSED("step", round({Rate(0.5), parse("wor(?, gaussian(1))").event}));
  EXPECT_REFUSED("rate", round({Rate(0.5), SampledWithoutReplacement{Rate(1.5), Event(Gaussian{Real::unknown()})}}));
  EXPECT_REFUSED("count", scheduled_rounds(schedule, recipe(), Adjacency::replace_one, std::uint64_t{1} << 60U, 0.1));
  EXPECT_REFUSED("tolerance", scheduled_rounds(schedule, recipe(), Adjacency::replace_one, 5, 0));
}

constexpr std::uint64_t rounds = 6;
constexpr double delta = 1e-5;

sequence::Sequence run_of(const NoiseShape& shape, double noise) {
  return scheduled_rounds(NoiseSchedule(shape, noise, 2), recipe(), Adjacency::replace_one, rounds, 1e-3);
}

double spent(const sequence::Sequence& sequence) {
  return sequence::make_accountant(AccountantName::renyi, sequence, delta).value()->epsilon(rounds).value().upper;
}

TEST(SolveSchedule, FindsTheOpenNumberFromTheSafeSide) {
  const auto noise_at = [](double noise) { return run_of(RoundDecay{0.9, 2}, noise); };
  const double budget = spent(noise_at(7));
  const auto solve = [&](OpenNumber open, const SequenceAt& at) {
    return solve_schedule(open, at, rounds, AccountantName::renyi, 1e-3, budget, delta);
  };
  const OpenSolution noise = solve(OpenNumber::base_noise, noise_at);
  EXPECT_NEAR(*noise.value, 7, 1e-6);
  EXPECT_LE(spent(noise_at(*noise.value)), budget);
  const auto beta_at = [](double beta) { return run_of(RoundDecay{beta, 2}, 7); };
  const OpenSolution beta = solve(OpenNumber::decay, beta_at);
  EXPECT_NEAR(*beta.value, 0.9, 1e-6);
  EXPECT_LE(spent(beta_at(*beta.value)), budget);
  EXPECT_EQ(beta.at_value.upper, spent(beta_at(*beta.value)));
  const auto hold_at = [](double hold) { return run_of(RoundDecay{0.9, static_cast<std::uint64_t>(hold)}, 7); };
  EXPECT_EQ(solve(OpenNumber::hold, hold_at).value, 2);
}

TEST(SolveSchedule, FindsTheLeastNoiseByTheTightestAccountant) {
  const auto noise_at = [](double noise) { return run_of(RoundDecay{0.9, 2}, noise); };
  const auto best = [&](double noise) {
    return sequence::make_accountant(AccountantName::best, noise_at(noise), delta, 1e-3)
        .value()
        ->epsilon(rounds)
        .value()
        .upper;
  };
  const double budget = 1;
  const auto solved = [&](AccountantName name) {
    return *solve_schedule(OpenNumber::base_noise, noise_at, rounds, name, 1e-3, budget, delta).value;
  };
  const double noise = solved(AccountantName::best);
  EXPECT_LE(best(noise), budget);
  EXPECT_GT(best(noise * (1 - 1e-4)), budget);
  EXPECT_LT(noise, solved(AccountantName::renyi));
}

TEST(SolveSchedule, RefusesStairsThatLeadUp) {
  for (const double factor : {1.0, 1.5})
    EXPECT_REFUSED("factor", require_solvable(OpenNumber::hold, Staircase{factor, 1}));
  EXPECT_NO_THROW(require_solvable(OpenNumber::hold, Staircase{0.5, 1}));
  EXPECT_NO_THROW(require_solvable(OpenNumber::decay, Staircase{1, 3}));
  EXPECT_NO_THROW(require_solvable(OpenNumber::hold, RoundDecay{0.9, 1}));
}

TEST(SolveSchedule, SaysWhenNothingOrEverythingFits) {
  const auto beta_at = [](double beta) { return run_of(RoundDecay{beta, 2}, 7); };
  const auto hold_at = [](double hold) { return run_of(RoundDecay{0.9, static_cast<std::uint64_t>(hold)}, 7); };
  const auto solve = [&](OpenNumber open, const SequenceAt& at, double epsilon) {
    return solve_schedule(open, at, rounds, AccountantName::renyi, 1e-3, epsilon, delta);
  };
  EXPECT_FALSE(solve(OpenNumber::decay, beta_at, 1e-3).value);
  EXPECT_FALSE(solve(OpenNumber::hold, hold_at, 1e-3).value);
  EXPECT_EQ(solve(OpenNumber::hold, hold_at, 100).value, 0);
  EXPECT_REFUSED("epsilon", solve(OpenNumber::hold, hold_at, -1));
  EXPECT_REFUSED("rounds", solve_schedule(OpenNumber::hold, hold_at, 0, AccountantName::renyi, 1e-3, 1, delta));
  EXPECT_REFUSED("delta", solve_schedule(OpenNumber::hold, hold_at, 6, AccountantName::renyi, 1e-3, 1, 0));
}

}  // namespace
}  // namespace dpbudget::fl
