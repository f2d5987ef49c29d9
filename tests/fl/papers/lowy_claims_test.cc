#include "dpbudget/fl/papers/lowy_claims.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/papers/lowy_published.h"
#include "fl/kinds.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr double clip = 0.5;

// The noise multiplier over 2 C / m of noise with this variance in a coordinate of the mean of m gradients.
double multiplier(double variance, double sample) { return std::sqrt(variance) / (2 * clip / sample); }

RC_GTEST_PROP(LowyClaim, IsTheEpsilonThatTheFormulaNeedsTheNoiseFor, ()) {
  const double epsilon = std::pow(10, static_cast<double>(*rc::gen::inRange(-20, 10)) / 10);
  const auto rounds = static_cast<std::uint64_t>(*rc::gen::inRange(1, 200));
  const double delta = 1e-6;
  const double n = 1000;
  const double k = 500;
  const auto r = static_cast<double>(rounds);
  fl::RunRequest run = kind_of("dp-mb-sgd");
  run.rounds = rounds;
  run.record_rate = 0.5;
  run.delta = delta;
  const double log = std::log(2.5 * r * k / (delta * n));
  const double variance = 256 * clip * clip * r * log * std::log(2 / delta) / (n * n * epsilon * epsilon);
  run.noise_multiplier = multiplier(variance, k);
  const Sizes sizes{8, 1000};
  // Its preconditions: K >= epsilon n / (4 sqrt(2 R log(2 / delta))) and epsilon <= 2 log(2 / delta).
  const bool covered = k >= epsilon * n / (4 * std::sqrt(2 * r * std::log(2 / delta)));
  for (const Adversary adversary : {Adversary::server, Adversary::other_clients}) {
    RC_ASSERT(plan(run, sizes, adversary, Basis::published).has_value() == covered);
    if (!covered) continue;
    const Bound bound = claimed_epsilon(run, sizes, adversary, Basis::published, delta);
    RC_ASSERT(std::abs(bound.upper / epsilon - 1) <= 1e-12);
    RC_ASSERT(bound.guarantee == Guarantee::estimate);
  }
  for (const Adversary adversary : {Adversary::third_party, Adversary::one_client, Adversary::user_level})
    RC_ASSERT(!plan(run, sizes, adversary, Basis::published));
}

TEST(LowyClaim, OfDisjointBatchesIsThatOfOneGaussian) {
  auto run = kind_of("dp-mb-sgd");
  run.batches = Batches::disjoint;
  run.delta = 1e-6;
  const double sample = 250;
  run.noise_multiplier = multiplier(8 * clip * clip * std::log(2 / 1e-6) / (0.7 * 0.7 * sample * sample), sample);
  EXPECT_NEAR(claimed_epsilon(run, {8, 1000}, Adversary::server, Basis::published, 1e-6).upper, 0.7, 1e-12);
  run.noise_multiplier /= 100;  // beyond 2 log(2 / delta)
  EXPECT_FALSE(plan(run, {8, 1000}, Adversary::server, Basis::published));
}

TEST(LowyClaim, IsNoneOfShuffledBatches) {
  auto run = kind_of("dp-local-sgd");
  EXPECT_TRUE(plan(run, {8, 1000}, Adversary::server, Basis::published));
  run.batches = Batches::shuffled;
  EXPECT_FALSE(plan(run, {8, 1000}, Adversary::server, Basis::published));
  EXPECT_NE(why_no_plan(settle(run), {8, 1000}, Adversary::server, Basis::published).find("draws each batch anew"),
            std::string::npos);
}

TEST(LowyClaim, OfLocalSgdCountsEveryStep) {
  auto run = kind_of("dp-local-sgd");
  run.rounds = 25;
  run.local_steps = 8;
  run.delta = 1e-6;
  run.noise_multiplier = multiplier(8 * clip * clip * 200 * std::log(1e6) / (1e6 * 9), 1);
  EXPECT_NEAR(claimed_epsilon(run, {8, 1000}, Adversary::server, Basis::published, 1e-6).upper, 3, 1e-12);
}

// Rounds end with the budget, or with the preconditions: epsilon <= 2 log(2 / delta), which is about 29.
TEST(LowyClaim, CountsRoundsUpToItsBudgetOrPreconditions) {
  auto run = kind_of("dp-mb-sgd");
  run.delta = 1e-6;
  run.record_rate = 0.5;
  run.noise_multiplier = 100;
  const Sizes sizes{8, 1000};
  for (const double epsilon : {1.0, 28.0, 40.0}) {
    run.rounds = claimed_rounds(run, sizes, Adversary::server, Basis::published, epsilon, 1e-6);
    ASSERT_GE(run.rounds, 1U);
    EXPECT_LE(claimed_epsilon(run, sizes, Adversary::server, Basis::published, 1e-6).upper, epsilon);
    run.rounds += 1;
    const auto beyond = plan(run, sizes, Adversary::server, Basis::published);
    EXPECT_EQ(beyond.has_value(), epsilon < 29);
    if (!beyond) continue;
    EXPECT_GT(claimed_epsilon(run, sizes, Adversary::server, Basis::published, 1e-6).upper, epsilon);
  }
}

// 2.5 R K / n <= delta up to R = 8: there the formula's logarithm is not positive, and it claims nothing.
TEST(LowyClaim, BeginsWhereItsLogarithmIsPositive) {
  auto run = kind_of("dp-mb-sgd");
  run.delta = 0.085;
  run.batch_size = 4;
  run.noise_multiplier = 100;
  const Sizes sizes{8, 1000};
  for (run.rounds = 1; run.rounds <= 20; ++run.rounds) {
    const bool covered = 2.5 * static_cast<double>(run.rounds) * 4 / 1000 > 0.085;
    EXPECT_EQ(plan(run, sizes, Adversary::server, Basis::published).has_value(), covered) << run.rounds;
    EXPECT_EQ(lowy_claimed_epsilon(settle(run), sizes, Adversary::server, 0.085).has_value(), covered);
    EXPECT_EQ(lowy_noise(settle(run), sizes, Adversary::server, 1e-3, 0.085).has_value(), covered);
  }
  // Found from any number of rounds that it covers.
  run.rounds = 10;
  const double ten = claimed_epsilon(run, sizes, Adversary::server, Basis::published, 0.085).upper;
  for (const std::uint64_t rounds : {10U, 16U, 40U}) {
    run.rounds = rounds;
    EXPECT_EQ(claimed_rounds(run, sizes, Adversary::server, Basis::published, ten, 0.085), 10U);
    EXPECT_EQ(claimed_rounds(run, sizes, Adversary::server, Basis::published, 1e-6, 0.085), 0U);
  }
  run.rounds = 5;
  EXPECT_REFUSED("there is no published plan",
                 claimed_rounds(run, sizes, Adversary::server, Basis::published, 1, 0.085));
}

// Section 6: noise multiplier q sqrt(2 R log(1 / delta)) / epsilon; with its 25 rounds of 424 of 1000 records.
TEST(LowyClaim, StatesTheBudgetOfTheExperimentsBesides) {
  auto run = kind_of("dp-mb-sgd");
  run.rounds = 25;
  run.batch_size = 424;
  run.delta = 1e-6;
  run.noise_multiplier = 0.424 * std::sqrt(50 * std::log(1e6)) / 0.75;
  const Sizes sizes{25, 1000};
  for (const Adversary adversary : {Adversary::server, Adversary::other_clients}) {
    const auto stated = LowyClaims().stated(settle(run), sizes, adversary, 1e-6);
    ASSERT_EQ(stated.size(), 1U);
    EXPECT_NEAR(stated[0].epsilon, 0.75, 1e-12);
  }
  EXPECT_TRUE(LowyClaims().stated(settle(run), sizes, Adversary::third_party, 1e-6).empty());
}

TEST(LowyClaim, SaysWhyThereIsNone) {
  auto run = kind_of("dp-mb-sgd");
  run.rounds = 25;
  run.batch_size = 4;
  run.delta = 1e-6;
  run.noise_multiplier = 0.1;
  const Sizes sizes{25, 1000};
  ASSERT_FALSE(plan(run, sizes, Adversary::server, Basis::published));
  const std::string why = why_no_plan(settle(run), sizes, Adversary::server, Basis::published);
  EXPECT_NE(why.find("a precondition fails: batch is 4, but must be at least"), std::string::npos) << why;
  run.schedule = "exponential:0.9";
  EXPECT_EQ(why_no_plan(settle(run), sizes, Adversary::server, Basis::published), "the paper keeps its noise constant");
}

// The chain of Theorem G.1's proof again, step by step.
TEST(LowyClaim, RestoresTheoremG1) {
  const LowyShuffled run{.noise_multiplier = 60, .reports = 20000, .rate = 0.2, .rounds = 25};
  const double delta = 1e-6;
  const double of_round = delta / (2 * 25 * 0.2);
  const double d0 = of_round / 2 / (20000 * (std::exp(1.0) + 1) * 1.5);
  const double e0 = std::sqrt(2 * std::log(1.25 / d0)) / 60;
  const double shuffled = std::log(
      1 + (std::exp(e0) - 1) / (std::exp(e0) + 1) *
              (8 * std::sqrt(std::exp(e0) * std::log(8 / of_round)) / std::sqrt(20000.0) + 8 * std::exp(e0) / 20000));
  const double sampled = std::log(1 + 0.2 * (std::exp(shuffled) - 1));
  const double expected = sampled * std::sqrt(50 * std::log(2 / delta)) + 25 * sampled * (std::exp(sampled) - 1);
  EXPECT_NEAR(lowy_shuffled_epsilon(run, delta), expected, 1e-12);
  // The failures of all rounds stay below delta.
  EXPECT_LE(25 * 0.2 * (of_round / 2 + (std::exp(shuffled) + 1) * (1 + std::exp(-e0) / 2) * 20000 * d0) + delta / 2,
            delta);
  EXPECT_REFUSED("noise is 2", lowy_shuffled_epsilon({2, 20000, 0.2, 25}, delta));
}

}  // namespace
}  // namespace dpbudget::fl
