#include "dpbudget/fl/papers/chang_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/fl/account/claim.h"
#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

const Sizes eight = {8, 32, 256, std::nullopt, 15};

fl::RunRequest decaying(const std::string& schedule) {
  fl::RunRequest run = kind_of("dp-scaffold");
  run.noise_multiplier = 8;
  run.schedule = schedule;
  return completed(run);
}

// Theorems 1 and 2, step by step: 24 (l s)^2 a L^2 / B^2 sum of 1 / variance at 2 L / B = 1, by Mironov's conversion at
// the best order a up to the cap, last variance times log(1 / (l s)).
double expected(const std::vector<double>& variances, double delta) {
  const double rate = 0.5 * 0.25;
  double sum = 0;
  for (const double variance : variances) sum += 1 / variance;
  const double slope = 24 * rate * rate * 0.25 * sum;
  const double log = std::log(1 / delta);
  const double order = std::min(1 + std::sqrt(log / slope), variances.back() * std::log(1 / rate));
  return slope * order + log / (order - 1);
}

TEST(ChangClaim, IsItsTheoremSummedStepByStep) {
  std::vector<double> per_round;
  std::vector<double> per_step;
  for (int round = 1; round <= 4; ++round)
    for (int step = 1; step <= 2; ++step) {
      per_round.push_back(64 * std::pow(0.9, std::max(0, round - 1)));
      per_step.push_back(64 * (round == 1 ? 1 : std::pow(0.97, 2 * (round - 2) + step - 1)));
    }
  const auto first = chang_claimed_epsilon(settle(decaying("chang1:beta=0.9,hold=1")), eight, Adversary::server, 1e-5);
  const auto second =
      chang_claimed_epsilon(settle(decaying("chang2:beta=0.97,hold=1")), eight, Adversary::server, 1e-5);
  ASSERT_TRUE(first && second);
  EXPECT_NEAR(*first, expected(per_round, 1e-5), 1e-9 * *first);
  EXPECT_NEAR(*second, expected(per_step, 1e-5), 1e-9 * *second);
}

TEST(ChangClaim, IsAnEstimateForTheServerAlone) {
  const auto run = decaying("chang1:beta=0.9,hold=1");
  for (const Adversary adversary : all_adversaries) {
    const auto claim = chang_claim(settle(run), eight, adversary);
    EXPECT_EQ(claim.has_value(), adversary == Adversary::server) << to_string(adversary);
    if (claim) {
      EXPECT_EQ(claim->guarantee, Guarantee::estimate);
      EXPECT_FALSE(claim->notes.empty());
    }
  }
  const Bound bound = claimed_epsilon(run, eight, Adversary::server, Basis::published, 1e-5);
  EXPECT_EQ(bound.upper, chang_claimed_epsilon(settle(run), eight, Adversary::server, 1e-5));
  EXPECT_EQ(bound.guarantee, Guarantee::estimate);
}

// Privacy does not depend on the clipping norm, and the noise of unit user is 2 C / s: over 2 C / 8 that is 8 / s times
// as much.
TEST(ChangClaim, CountsNoiseInSensitivities) {
  auto run = decaying("chang1:beta=0.9,hold=1");
  const auto claimed = [&] { return chang_claimed_epsilon(settle(run), eight, Adversary::server, 1e-5); };
  const auto at_half = claimed();
  run.clip_norm = 100;
  EXPECT_EQ(claimed(), at_half);
  run.unit = Unit::user;
  run.noise_multiplier = 8 * 0.25 / 8;
  EXPECT_EQ(claimed(), at_half);
}

// The cap on the order, last variance times log(1 / (l s)), leaves none: 0.7^2 0.9^3 log 8 = 0.74, or l s = 1.
TEST(ChangClaim, ClaimsNothingWithoutAnOrder) {
  auto run = decaying("chang1:beta=0.9,hold=1");
  run.noise_multiplier = 0.7;
  EXPECT_FALSE(plan(run, eight, Adversary::server, Basis::published));
  EXPECT_FALSE(chang_claimed_epsilon(settle(run), eight, Adversary::server, 1e-5));
  run.noise_multiplier = 0.9;
  EXPECT_TRUE(plan(run, eight, Adversary::server, Basis::published));
  run.noise_multiplier = 8;
  run.user_rate = run.record_rate = 1;
  EXPECT_FALSE(plan(run, eight, Adversary::server, Basis::published));
}

TEST(ChangClaim, SaysNothingOfOtherRuns) {
  EXPECT_FALSE(chang_claim(settle(decaying("exponential:0.9")), eight, Adversary::server));
  auto run = decaying("chang1:beta=0.9,hold=1");
  run.client_sampling = ClientSampling::poisson;
  EXPECT_FALSE(chang_claim(settle(run), eight, Adversary::server));
  run = decaying("chang1:beta=0.9,hold=1");
  run.clipping = Clipping::adaptive;
  EXPECT_FALSE(chang_claim(settle(run), eight, Adversary::server));
}

}  // namespace
}  // namespace dpbudget::fl
