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

}  // namespace
}  // namespace dpbudget::fl
