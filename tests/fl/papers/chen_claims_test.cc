#include "dpbudget/fl/papers/chen_claims.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// Theorem 5 by its own formula: rho = 26 K tau G^2 / (n^2 s^2) at K = T r / n participations, converted where
// rho alpha + log(1 / delta) / (alpha - 1) is least: rho + 2 sqrt(rho log(1 / delta)).
TEST(ChenClaims, CountTheExpectedNumberOfParticipations) {
  auto run = kind_of("dpnfl");
  run.rounds = 100;
  run.noise_multiplier = 16;
  run.record_rate = 0.01;
  const Sizes sizes{8, 10000};
  const double noise_std = 16 * 2 * 0.5 / 100;
  const double rho = 26 * 50 * 2 * 0.25 / (1e8 * noise_std * noise_std);
  const double log = std::log(1e5);
  const double omega = 100 * 100 * noise_std * noise_std * std::log(100.0) / (8 * 0.25);
  ASSERT_GE(omega, 1 + std::sqrt(log / rho));
  const auto claim = plan(run, sizes, Adversary::server, Basis::published);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->guarantee, Guarantee::estimate);
  const auto epsilon = ChenClaims().published_epsilon(settle(run), sizes, Adversary::server, 1e-5);
  ASSERT_TRUE(epsilon);
  EXPECT_NEAR(*epsilon, rho + 2 * std::sqrt(rho * log), 1e-9 * *epsilon);
  for (const Adversary other :
       {Adversary::third_party, Adversary::one_client, Adversary::other_clients, Adversary::user_level})
    EXPECT_FALSE(plan(run, sizes, other, Basis::published)) << to_string(other);
}

TEST(ChenClaims, PrescribeTheNoiseOfABudget) {
  auto run = kind_of("dpnfl");
  run.rounds = 100;
  run.record_rate = 0.01;
  const Sizes sizes{8, 10000};
  const auto noise = ChenClaims().published_noise(settle(run), sizes, Adversary::server, 0.3, 1e-2);
  ASSERT_TRUE(noise);
  run.noise_multiplier = *noise;
  EXPECT_NEAR(*ChenClaims().published_epsilon(settle(run), sizes, Adversary::server, 1e-2), 0.3, 1e-9);
  EXPECT_FALSE(ChenClaims().published_noise(settle(run), sizes, Adversary::third_party, 0.3, 1e-2));
}

// epsilon = rho (2 omega - 1), delta = exp(-rho (omega - 1)^2).
TEST(ChenClaims, StateTheirOnePair) {
  auto run = kind_of("dpnfl");
  run.rounds = 100;
  run.noise_multiplier = 16;
  run.record_rate = 0.01;
  const auto stated = ChenClaims().stated(settle(run), {8, 10000}, Adversary::server, 1e-5);
  ASSERT_EQ(stated.size(), 1U);
  const double rho = 26 * 50 * 2 * 0.25 / (1e8 * 0.16 * 0.16);
  const double omega = 1e4 * 0.16 * 0.16 * std::log(100.0) / 2;
  EXPECT_NEAR(stated[0].epsilon / (rho * (2 * omega - 1)), 1, 1e-12);
  run.noise_multiplier = 0.01;
  EXPECT_NE(ChenClaims().silence(settle(run), {8, 10000}, Adversary::server).find("a precondition of Lemma 4 fails"),
            std::string::npos);
}

}  // namespace
}  // namespace dpbudget::fl
