#include "dpbudget/fl/papers/chang_published.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

// Section IV of the paper, L = 1.
ChangRun section4(double beta, std::uint64_t hold, std::uint64_t rounds) {
  return {.user_rate = 0.2,
          .record_rate = 0.2,
          .lipschitz = 1,
          .batch = 500,
          .sigma0 = std::sqrt(8.0),
          .beta = beta,
          .local_steps = 50,
          .hold = hold,
          .rounds = rounds};
}

TEST(ChangPublished, IsThePrintedTheorem) {
  const auto bracket = [](double b, double n) { return (1 - std::pow(1 / b, n)) / (1 - 1 / b); };
  const ChangRun one = section4(0.998, 200, 497);
  const double factor = 24 * 0.04 * 0.04 * 3 * 50 / (500.0 * 500 * 8);
  EXPECT_NEAR(chang_rdp(ChangScheme::per_round, one, 3) / (factor * (200 + bracket(0.998, 298) - 1)), 1, 1e-10);
  const ChangRun two = section4(0.99992, 200, 428);
  EXPECT_NEAR(chang_rdp(ChangScheme::per_step, two, 3) / (factor * (200 + bracket(0.99992, 50.0 * 228) / 50)), 1, 1e-9);
}

TEST(ChangPublished, DoesNotReproduceThePrintedEpsilonAtItsBestOrder) {
  const Bound best = chang_epsilon(ChangScheme::per_round, section4(1, 0, 600), 1e-5);
  EXPECT_EQ(best.guarantee, Guarantee::estimate);
  EXPECT_NEAR(best.upper, 0.480, 5e-4);
  EXPECT_NEAR(chang_epsilon_at(ChangScheme::per_round, section4(1, 0, 600), 2.5, 1e-5), 7.6767, 5e-5);
}

TEST(ChangPublished, KnowsWhereItsPreconditionsEnd) {
  EXPECT_EQ(chang_first_round_beyond_beta(ChangScheme::per_round, section4(0.998, 200, 497)), 435U);
  EXPECT_EQ(chang_first_round_beyond_beta(ChangScheme::per_step, section4(0.99992, 200, 428)), 318U);
  EXPECT_FALSE(chang_first_round_beyond_beta(ChangScheme::per_round, section4(0.998, 200, 434)));
  const ChangPreconditions held = chang_preconditions(ChangScheme::per_round, section4(1, 600, 600));
  EXPECT_TRUE(held.hold());
  EXPECT_NEAR(held.order_cap, 25.751, 5e-4);
  const ChangPreconditions late = chang_preconditions(ChangScheme::per_round, section4(0.998, 200, 497));
  EXPECT_FALSE(late.beta);
  EXPECT_NEAR(late.least_beta, 0.99842, 5e-6);
  ChangRun run = section4(1, 600, 600);
  run.sigma0 = 2;
  EXPECT_FALSE(chang_preconditions(ChangScheme::per_round, run).sigma0);
  run.user_rate = 1;
  EXPECT_FALSE(chang_preconditions(ChangScheme::per_round, run).rates);
  run.record_rate = 1;  // log(1 / pq) = 0: no order is left
  EXPECT_FALSE(std::signbit(chang_preconditions(ChangScheme::per_round, run).order_cap));
  const Bound none = chang_epsilon(ChangScheme::per_round, run, 1e-5);
  EXPECT_TRUE(std::isinf(none.upper));
  EXPECT_EQ(joined(none.theorems), "Chang, Seif, Tandon 2022, Theorem 1, which claims nothing here");
}

TEST(ChangPublished, RefusesByName) {
  EXPECT_REFUSED("delta", chang_epsilon(ChangScheme::per_round, section4(1, 0, 600), 0));
  EXPECT_REFUSED("order", chang_rdp(ChangScheme::per_round, section4(1, 0, 600), 1));
  EXPECT_REFUSED("hold_rounds", chang_preconditions(ChangScheme::per_step, section4(1, 601, 600)));
  EXPECT_REFUSED("rounds", chang_preconditions(ChangScheme::per_step, section4(1, 0, 0)));
  EXPECT_REFUSED("beta", chang_preconditions(ChangScheme::per_step, section4(0, 0, 600)));
}

}  // namespace
}  // namespace dpbudget::fl
