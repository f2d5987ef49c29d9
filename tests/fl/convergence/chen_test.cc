#include "dpbudget/fl/convergence/chen.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

ChenRun twenty_clients() {
  return {.smoothness = 3,
          .gradient_bound = 2,
          .noise_std = 0.5,
          .dimension = 7,
          .clients = 20,
          .participants = 4,
          .local_steps = 5};
}
constexpr ChenStronglyConvex convex{.strong_convexity = 0.6, .gradient_variance = 1.1, .gap = 0.8, .distance = 2.5};
constexpr ChenNonconvex nonconvex{.dissimilarity = 0.8, .gap = 2.5};
constexpr ChenServer server{.second_momentum = 0.9, .adaptivity = 0.3};

double sum(const ChenTerms& t) { return t.optimisation + t.gradients + t.batches + t.heterogeneity + t.privacy; }

// validation/convergence_reference.py: the printed formulas, typed as they stand, in 40 digits.
TEST(ChenConvergence, IsThePrintedTheorems) {
  const ChenRun run = twenty_clients();
  const ChenTerms first = chen_theorem1_as_published(run, convex, 90);
  EXPECT_NEAR(first.total / 359.56372549019608, 1, 1e-14);
  EXPECT_NEAR(sum(first) / first.total, 1, 1e-15);
  const ChenTerms second = chen_theorem2_as_published(run, nonconvex, 0.0002, 90);
  EXPECT_NEAR(second.total / 148.96845048508589, 1, 1e-14);
  EXPECT_NEAR(second.optimisation / 57.291150867274015, 1, 1e-14);
  EXPECT_NEAR(sum(second) / second.total, 1, 1e-15);
  const ChenTerms third = chen_theorem3_as_published(run, convex, server, 90);
  EXPECT_NEAR(third.total / 17519.26774691358, 1, 1e-14);
  EXPECT_NEAR(sum(third) / third.total, 1, 1e-15);
  const ChenOrders fourth = chen_theorem4_orders(run, nonconvex, server, 0.00001, 0.2, 90);
  EXPECT_NEAR((fourth.optimisation + fourth.gradients + fourth.heterogeneity + fourth.privacy) / 839.38854954771144, 1,
              1e-14);
  const ChenSteps steps = chen_theorem3_steps(run, 0.6, server);
  EXPECT_NEAR(steps.global_least, 5.9196002117260137, 1e-14);
  EXPECT_NEAR(steps.global_most, 0.17142857142857143, 1e-15);
  EXPECT_NEAR(steps.local_least, 1.138550085106622, 1e-14);
  EXPECT_NEAR(steps.local_most, 1.0 / 60, 1e-16);
  EXPECT_NEAR(steps.product_most, 0.000324, 1e-17);
}

// All weight on one client out of n, which one draw finds with probability 1/n; f = w^2 / 2, w_1 = 1. E w^2 exactly.
// fl/convergence/proofs.md, 5.1
TEST(ChenConvergence, TheoremOneIsRefuted) {
  constexpr double clients = 2000;
  constexpr std::uint64_t rounds = 3984;
  double square = 1;
  double largest = 1;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    const double alpha = 4 / (static_cast<double>(t) + 16);
    square *= 1 - 2 * alpha + clients * alpha * alpha;
    largest = std::max(largest, square);
  }
  const ChenRun run{.smoothness = 1,
                    .gradient_bound = std::sqrt(largest),
                    .noise_std = 0,
                    .dimension = 1,
                    .clients = clients,
                    .participants = 1,
                    .local_steps = 1};
  const ChenTerms claimed =
      chen_theorem1_as_published(run, {.strong_convexity = 1, .gradient_variance = 0, .gap = 0, .distance = 1}, rounds);
  EXPECT_GT(square / 2, 4.9 * claimed.total);
}

ChenRun any_chen_run() {
  ChenRun run;
  run.smoothness = *rc::gen::element(0.001, 0.3, 1.0, 40.0);
  run.gradient_bound = *rc::gen::element(0.01, 1.0, 1e6);
  run.noise_std = *rc::gen::element(0.0, 0.1, 5.0);
  run.dimension = *rc::gen::element(1, 2, 1000);
  run.clients = *rc::gen::inRange(1, 1000);
  run.participants = *rc::gen::inRange(1, static_cast<int>(run.clients) + 1);
  run.local_steps = *rc::gen::element(1, 2, 30);
  return run;
}

// fl/convergence/proofs.md, 5.2
RC_GTEST_PROP(ChenConvergence, TheoremTwoSaysLessThanItAssumes, ()) {
  const ChenRun run = any_chen_run();
  const double share = run.clients / run.participants;
  const double z = *rc::gen::element(1e-9, 1e-4, 0.004) / share;
  const ChenTerms terms =
      chen_theorem2_as_published(run, nonconvex, z / (run.local_steps * run.smoothness), 1000000000);
  RC_ASSERT(terms.total > 2 * run.gradient_bound * run.gradient_bound);
}

// fl/convergence/proofs.md, 5.3
RC_GTEST_PROP(ChenConvergence, TheoremThreeHasNoSteps, ()) {
  const ChenRun run = any_chen_run();
  const double lambda = run.smoothness * *rc::gen::element(1e-6, 0.1, 1.0);
  const ChenServer any{.second_momentum = *rc::gen::element(1e-3, 0.5, 1 - 1e-12),
                       .adaptivity = *rc::gen::element(1e-12, 1e-3, 1.0)};
  const ChenSteps steps = chen_theorem3_steps(run, lambda, any);
  RC_ASSERT(!(steps.global_least <= steps.global_most && steps.local_least <= steps.local_most));
}

// fl/convergence/proofs.md, 5.4: what is left at any step after any number of rounds.
RC_GTEST_PROP(ChenConvergence, TheoremFourDoesNotVanish, ()) {
  const ChenRun run = any_chen_run();
  const double left =
      (run.gradient_bound * run.gradient_bound + run.dimension * run.noise_std * run.noise_std) / run.local_steps +
      6 * nonconvex.dissimilarity;
  const double reach = run.gradient_bound + 0.2 * run.smoothness;
  const double most = std::min(1 / run.smoothness, server.adaptivity * run.participants / (10 * run.clients * reach)) /
                      (8.01 * run.local_steps);
  for (const double share : {1.0, 1e-3, 1e-9}) {
    const ChenOrders found = chen_theorem4_orders(run, nonconvex, server, share * most, 0.2, 1'000'000'000'000'000);
    RC_ASSERT(found.gradients + found.heterogeneity + found.privacy >= left * (1 - 1e-12));
  }
}

// Losses times a, lengths times b. Theorems 1, 2 and 4 keep their units; Theorem 3 does not.
// fl/convergence/proofs.md, 5.3
RC_GTEST_PROP(ChenConvergence, KeepsUnitsButInTheoremThree, ()) {
  const ChenRun run = any_chen_run();
  const double a = *rc::gen::element(0.01, 7.0);
  const double b = *rc::gen::element(0.2, 50.0);
  const double squared_gradient = a * a / (b * b);
  ChenRun other = run;
  other.smoothness *= a / (b * b);
  other.gradient_bound *= a / b;
  other.noise_std *= a / b;
  const ChenStronglyConvex p{.strong_convexity = run.smoothness / 2, .gradient_variance = 1, .gap = 1, .distance = 1};
  const ChenStronglyConvex q{
      .strong_convexity = other.smoothness / 2, .gradient_variance = squared_gradient, .gap = a, .distance = b};
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-12 * y; };
  RC_ASSERT(near(chen_theorem1_as_published(other, q, 9).total, a * chen_theorem1_as_published(run, p, 9).total));
  const ChenNonconvex moved{.dissimilarity = nonconvex.dissimilarity * squared_gradient, .gap = nonconvex.gap * a};
  const double step = 1e-6 / (run.local_steps * run.smoothness);
  RC_ASSERT(near(chen_theorem2_as_published(other, moved, step * b * b / a, 9).total,
                 squared_gradient * chen_theorem2_as_published(run, nonconvex, step, 9).total));
  const ChenServer scaled{.second_momentum = server.second_momentum, .adaptivity = server.adaptivity * b};
  const double reach = run.gradient_bound + 0.2 * run.smoothness;
  const double small = std::min(1 / run.smoothness, server.adaptivity * run.participants / (run.clients * reach)) /
                       (100 * run.local_steps);
  const ChenOrders x = chen_theorem4_orders(run, nonconvex, server, small, 0.2, 9);
  const ChenOrders y = chen_theorem4_orders(other, moved, scaled, small * b * b / a, 0.2 * b, 9);
  RC_ASSERT(near(y.optimisation, squared_gradient * x.optimisation));
  RC_ASSERT(near(y.gradients, squared_gradient * x.gradients));
  RC_ASSERT(near(y.heterogeneity, squared_gradient * x.heterogeneity));
  const ChenTerms third = chen_theorem3_as_published(run, p, server, 9);
  const ChenTerms odd = chen_theorem3_as_published(other, q, scaled, 9);
  RC_ASSERT(near(odd.optimisation, a * third.optimisation));
  RC_ASSERT(!near(odd.heterogeneity, a * third.heterogeneity));
}

RC_GTEST_PROP(ChenConvergence, GrowsWithNoiseAndFallsWithParticipantsAndRounds, ()) {
  ChenRun run = any_chen_run();
  run.noise_std += 0.1;
  const ChenStronglyConvex p{.strong_convexity = run.smoothness / 2, .gradient_variance = 1, .gap = 1, .distance = 1};
  const double share = run.clients / run.participants;
  const double step2 = 1e-4 / (share * run.local_steps * run.smoothness);
  const double reach = run.gradient_bound + 0.2 * run.smoothness;
  const double step4 =
      std::min(1 / run.smoothness, server.adaptivity / (run.clients * reach)) / (100 * run.local_steps);
  const auto totals = [&](const ChenRun& r, std::uint64_t t) {
    const ChenOrders o = chen_theorem4_orders(r, nonconvex, server, step4, 0.2, t);
    return std::array{
        chen_theorem1_as_published(r, p, t).total, chen_theorem2_as_published(r, nonconvex, step2, t).total,
        chen_theorem3_as_published(r, p, server, t).total, o.optimisation + o.gradients + o.heterogeneity + o.privacy};
  };
  ChenRun noisier = run;
  noisier.noise_std *= 2;
  ChenRun everybody = run;
  everybody.participants = run.clients;
  const auto base = totals(run, 10);
  for (std::size_t i = 0; i < base.size(); ++i) {
    RC_ASSERT(totals(noisier, 10)[i] > base[i]);
    RC_ASSERT(totals(everybody, 10)[i] <= base[i]);
    RC_ASSERT(totals(run, 1000)[i] <= base[i]);
  }
  ChenRun quiet = run;
  quiet.noise_std = 0;
  RC_ASSERT(chen_theorem1_as_published(quiet, p, 10).privacy == 0);
  RC_ASSERT(chen_theorem2_as_published(quiet, nonconvex, step2, 10).privacy == 0);
  RC_ASSERT(chen_theorem3_as_published(quiet, p, server, 10).privacy == 0);
  RC_ASSERT(chen_theorem4_orders(quiet, nonconvex, server, step4, 0.2, 10).privacy == 0);
}

TEST(ChenConvergence, RefusesByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ChenRun good = twenty_clients();
  const auto refused = [&](double ChenRun::* member, double value) {
    ChenRun run = good;
    run.*member = value;
    EXPECT_THROW(static_cast<void>(chen_theorem2_as_published(run, nonconvex, 1e-9, 5)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(chen_theorem3_as_published(run, convex, server, 5)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(chen_theorem3_steps(run, 0.1, server)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(chen_theorem4_orders(run, nonconvex, server, 1e-9, 0.2, 5)), InvalidArgument);
    return chen_theorem1_as_published(run, convex, 5);
  };
  for (const double bad : {nan, -1.0}) {
    EXPECT_REFUSED("smoothness", refused(&ChenRun::smoothness, bad));
    EXPECT_REFUSED("gradient_bound", refused(&ChenRun::gradient_bound, bad));
    EXPECT_REFUSED("noise_std", refused(&ChenRun::noise_std, bad));
    EXPECT_REFUSED("dimension", refused(&ChenRun::dimension, bad));
    EXPECT_REFUSED("clients", refused(&ChenRun::clients, bad));
    EXPECT_REFUSED("participants", refused(&ChenRun::participants, bad));
    EXPECT_REFUSED("local_steps", refused(&ChenRun::local_steps, bad));
    const auto with = [&](double ChenStronglyConvex::* member) {
      ChenStronglyConvex p = convex;
      p.*member = bad;
      EXPECT_THROW(static_cast<void>(chen_theorem1_as_published(good, p, 5)), InvalidArgument);
      return chen_theorem3_as_published(good, p, server, 5);
    };
    EXPECT_REFUSED("strong_convexity", with(&ChenStronglyConvex::strong_convexity));
    EXPECT_REFUSED("gradient_variance", with(&ChenStronglyConvex::gradient_variance));
    EXPECT_REFUSED("gap", with(&ChenStronglyConvex::gap));
    EXPECT_REFUSED("distance", with(&ChenStronglyConvex::distance));
    EXPECT_REFUSED("strong_convexity", chen_theorem3_steps(good, bad, server));
    EXPECT_REFUSED("dissimilarity", chen_theorem2_as_published(good, {.dissimilarity = bad, .gap = 1}, 1e-9, 5));
    EXPECT_REFUSED("gap", chen_theorem4_orders(good, {.dissimilarity = 0, .gap = bad}, server, 1e-9, 0.2, 5));
    EXPECT_REFUSED("local_step", chen_theorem2_as_published(good, nonconvex, bad, 5));
    EXPECT_REFUSED("local_step", chen_theorem4_orders(good, nonconvex, server, bad, 0.2, 5));
    EXPECT_REFUSED("global_step", chen_theorem4_orders(good, nonconvex, server, 1e-9, bad, 5));
    EXPECT_REFUSED("second_momentum", chen_theorem3_steps(good, 0.1, {.second_momentum = bad, .adaptivity = 1}));
    EXPECT_REFUSED("adaptivity",
                   chen_theorem3_as_published(good, convex, {.second_momentum = 0.9, .adaptivity = bad}, 5));
  }
  EXPECT_REFUSED("participants", refused(&ChenRun::participants, 21));
  EXPECT_REFUSED("strong_convexity", chen_theorem3_steps(good, 3.1, server));
  EXPECT_REFUSED("second_momentum", chen_theorem3_steps(good, 0.1, {.second_momentum = 1, .adaptivity = 1}));
  EXPECT_REFUSED("rounds", chen_theorem1_as_published(good, convex, 0));
  EXPECT_REFUSED("rounds", chen_theorem2_as_published(good, nonconvex, 1e-9, 0));
  EXPECT_REFUSED("rounds", chen_theorem3_as_published(good, convex, server, 0));
  EXPECT_REFUSED("rounds", chen_theorem4_orders(good, nonconvex, server, 1e-9, 0.2, 0));
  EXPECT_REFUSED("local_step", chen_theorem2_as_published(good, nonconvex, 1 / (200 * 5 * 3.0), 5));
  EXPECT_REFUSED("local_step", chen_theorem4_orders(good, nonconvex, server, 0.0000577, 0.21, 5));
  // Within the printed condition, yet Upsilon is negative: n / r = 200.
  ChenRun few = good;
  few.clients = 800;
  EXPECT_REFUSED("local_step", chen_theorem2_as_published(few, nonconvex, 0.9 / (200 * 5 * 3.0), 5));
}

}  // namespace
}  // namespace dpbudget::fl
