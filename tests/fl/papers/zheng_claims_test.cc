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

// Theorem 1: nothing reaches anybody with a probability above delta, or a record costs what its steps do.
TEST(ZhengClaims, CountTheSamplingOfClientsAsPublishedAndAsCorrected) {
  auto run = kind_of("dp-prifedsync");
  run.rounds = 50;
  run.client_sampling = ClientSampling::poisson;
  run.user_rate = 0.01;
  const Sizes sizes{100, 1000};
  const double p = 0.01;
  const double published = 1 - std::pow(1 - p * p, 50);
  const double weak = 1 - std::pow(1 - p, 50) * (1 + 50 * p);
  ASSERT_LT(published, weak);
  const auto stated = [&](double delta, Adversary adversary) {
    return ZhengClaims().stated(settle(run), sizes, adversary, delta);
  };
  for (const double delta : {published / 2, (published + weak) / 2, weak * 1.01}) {
    const auto both = stated(delta, Adversary::one_client);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].epsilon == 0, published <= delta);
    EXPECT_EQ(both[1].epsilon == 0, weak <= delta);
    EXPECT_EQ(both[0].guarantee, Guarantee::estimate);
    EXPECT_EQ(both[1].guarantee, Guarantee::proven);
  }
  EXPECT_GT(stated(0.1, Adversary::other_clients).at(0).epsilon, 0);
  EXPECT_EQ(stated(1 - std::pow(1 - p, 50) + 1e-9, Adversary::other_clients).at(0).epsilon, 0);
  run.client_sampling = ClientSampling::uniform;
  EXPECT_EQ(stated(0.1, Adversary::other_clients).at(0).guarantee, Guarantee::estimate);
  EXPECT_TRUE(stated(0.1, Adversary::server).empty());
}

}  // namespace
}  // namespace dpbudget::fl
