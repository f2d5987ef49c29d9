#include "dpbudget/fl/papers/zheng_claims.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fl/kinds.h"

namespace dpbudget::fl {
namespace {

// Theorem 2: mu = (sqrt(2) m / n) sqrt(T (e^{s^-2} Phi(1.5 / s) + 3 Phi(-0.5 / s) - 2)), s the noise over 2 C / m.
TEST(ZhengClaims, AreTheCentralLimit) {
  auto run = kind_of("dp-prifedsync");
  run.rounds = 50;
  const Sizes sizes{8, 1000};
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double s = 4;
  const double mu =
      std::sqrt(2.0) * 0.25 * std::sqrt(100 * (std::exp(1 / (s * s)) * phi(1.5 / s) + 3 * phi(-0.5 / s) - 2));
  const double delta = 1e-5;
  const auto delta_at = [&](double epsilon, double gdp) {
    return phi(-epsilon / gdp + gdp / 2) - std::exp(epsilon) * phi(-epsilon / gdp - gdp / 2);
  };
  for (const auto& [adversary, factor] :
       {std::pair(Adversary::one_client, 1.0), std::pair(Adversary::other_clients, std::sqrt(7.0))}) {
    const auto epsilon = ZhengClaims().published_epsilon(settle(run), sizes, adversary, delta);
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(delta_at(*epsilon, factor * mu), delta, 1e-8 * delta) << to_string(adversary);
    EXPECT_EQ(plan(run, sizes, adversary, Basis::published)->guarantee, Guarantee::estimate);
  }
  EXPECT_FALSE(plan(run, sizes, Adversary::server, Basis::published));
  run.schedule = "exponential:0.5";
  EXPECT_FALSE(plan(run, sizes, Adversary::one_client, Basis::published));
}

}  // namespace
}  // namespace dpbudget::fl
