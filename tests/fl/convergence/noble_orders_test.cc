#include "dpbudget/fl/convergence/noble_orders.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "fl/convergence/noble_problem.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr NobleBudget budget{.epsilon = 0.5, .delta = 1e-6, .records = 40};
constexpr std::uint64_t rounds = 20000;
const std::array<NobleLosses, 3> losses_of_orders = {
    ConvexLosses{.distance = 3}, ConvexLosses{.distance = 3, .strong_convexity = 0.4}, NonconvexLosses{.gap = 3}};

void expect_near(double value, double expected) { EXPECT_NEAR(value, expected, 1e-13 * expected); }

// validation/convergence_reference.py: optimisation, gradients, privacy.
TEST(NobleOrders, AreTheoremC1) {
  constexpr std::array<std::array<double, 3>, 3> expected = {
      {{0.0018720754407467137, 0.001299038105676658, 0.0028755434269021221},
       {1.4367625627964248e-17, 4.6875e-7, 2.296875e-6},
       {0.00062402514691557123, 0.0010606601717798213, 0.0023478713763747792}}};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const NobleOrders orders = noble_scaffold_orders(twelve_users(), losses_of_orders[i], rounds);
    expect_near(orders.optimisation, expected[i][0]);
    expect_near(orders.gradients, expected[i][1]);
    expect_near(orders.privacy, expected[i][2]);
    EXPECT_EQ(orders.client_sampling, 0);
    EXPECT_EQ(orders.drift, 0);
  }
}

// As before: optimisation, client_sampling, drift; the other two are Theorem C.1's.
TEST(NobleOrders, AreTheoremC2) {
  constexpr std::array<std::array<double, 3>, 3> expected = {
      {{0.002601, 0.011258330249197702, 0.008812799899255271},
       {4.4192246590834174e-28, 3.5208333333333333e-5, 5.28125e-8},
       {0.000867, 0.0091923881554251178, 0.0053379733924819196}}};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const NobleOrders orders = noble_fedavg_orders(twelve_users(), losses_of_orders[i], dissimilar, rounds);
    const NobleOrders controlled = noble_scaffold_orders(twelve_users(), losses_of_orders[i], rounds);
    expect_near(orders.optimisation, expected[i][0]);
    expect_near(orders.client_sampling, expected[i][1]);
    expect_near(orders.drift, expected[i][2]);
    EXPECT_EQ(orders.gradients, controlled.gradients);
    EXPECT_EQ(orders.privacy, controlled.privacy);
  }
}

TEST(NobleOrders, AreTheorem42AtItsNoise) {
  expect_near(noble_noise_order(twelve_users(), budget, rounds), 530.9175006592345);
  const NobleOrders scaffold = noble_scaffold_orders(twelve_users(), 3, budget, rounds);
  expect_near(scaffold.privacy, 1.0177842194986432);  // D_0 C sqrt(8 d log(..) log(..)) / (epsilon M R)
  expect_near(scaffold.optimisation, 0.0018720754407467137);
  const NobleOrders fedavg = noble_fedavg_orders(twelve_users(), 3, dissimilar, budget, rounds);
  EXPECT_EQ(fedavg.privacy, scaffold.privacy);
  expect_near(fedavg.drift, 0.008812799899255271);
}

TEST(NobleOrders, AllUsersTakingPartLeavesNoClientSampling) {
  NobleRun run = twelve_users();
  run.participants = run.users;
  run.noise_multiplier = 0;
  for (const NobleLosses& any : losses_of_orders) {
    const NobleOrders orders = noble_fedavg_orders(run, any, dissimilar, rounds);
    EXPECT_EQ(orders.client_sampling, 0);
    EXPECT_EQ(orders.privacy, 0);
    EXPECT_GT(orders.drift, 0);
  }
}

// At the step that balances them, the bound's terms are the orders' but for a constant: the same powers of everything.
RC_GTEST_PROP(NobleOrders, AreThoseOfTheBound, ()) {
  NobleRun run = twelve_users();
  run.smoothness = *rc::gen::element(0.1, 1.0, 30.0);
  run.local_steps = *rc::gen::element(1.0, 4.0, 50.0);
  run.noise_multiplier = *rc::gen::element(0.1, 1.0, 10.0);
  run.users = *rc::gen::element(12.0, 100.0);
  run.participants = *rc::gen::element(2.0, 12.0);
  const double server = std::sqrt(run.participants);
  const std::uint64_t long_run = *rc::gen::element<std::uint64_t>(100000000, 1000000000);
  const auto& any = *rc::gen::element(losses_of_orders[0], losses_of_orders[2]);
  const NobleOrders orders = noble_scaffold_orders(run, any, long_run);
  // The noise alone balances the start.
  const double start = std::holds_alternative<ConvexLosses>(any) ? 9 : 2 * 3 / run.smoothness;
  const double deviation = 2 * run.clip_norm * run.noise_multiplier / run.batch;
  const double eta = std::sqrt(start * run.local_steps * run.participants /
                               (static_cast<double>(long_run) * run.dimension * deviation * deviation));
  if (1e-3 < run.smoothness * eta) return;
  const NobleSteps steps{.local = eta / (run.local_steps * server), .server = server};
  const NobleBound bound = noble_scaffold_bound(run, any, steps, long_run);
  RC_ASSERT(0.2 < bound.privacy / orders.privacy && bound.privacy / orders.privacy < 8);
  RC_ASSERT(0.2 < bound.optimisation / orders.privacy && bound.optimisation / orders.privacy < 8);
}

RC_GTEST_PROP(NobleOrders, AreMonotone, ()) {
  const auto& any = *rc::gen::element(losses_of_orders[0], losses_of_orders[1], losses_of_orders[2]);
  const NobleRun run = twelve_users();
  const std::uint64_t some = *rc::gen::inRange<std::uint64_t>(1000, 100000);
  NobleRun noisier = run;
  noisier.noise_multiplier *= *rc::gen::element(1.1, 3.0);
  NobleRun more = run;
  more.participants = *rc::gen::element(5.0, 12.0);
  const auto of = [&](const NobleRun& r, std::uint64_t t) { return noble_fedavg_orders(r, any, dissimilar, t); };
  RC_ASSERT(of(noisier, some).privacy > of(run, some).privacy);
  RC_ASSERT(of(more, some).privacy < of(run, some).privacy);
  RC_ASSERT(of(more, some).gradients < of(run, some).gradients);
  RC_ASSERT(of(more, some).client_sampling < of(run, some).client_sampling);
  RC_ASSERT(of(run, some + 1).optimisation < of(run, some).optimisation);
  RC_ASSERT(of(run, some + 1).drift < of(run, some).drift);
  RC_ASSERT(noble_scaffold_orders(more, any, some).optimisation < noble_scaffold_orders(run, any, some).optimisation);
  // Less privacy, less noise; more rounds, more of it.
  NobleBudget loose = budget;
  loose.epsilon *= 1.5;
  RC_ASSERT(noble_noise_order(run, loose, some) < noble_noise_order(run, budget, some));
  RC_ASSERT(noble_noise_order(run, budget, some + 1) > noble_noise_order(run, budget, some));
}

TEST(NobleOrders, RefuseByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NobleRun run = twelve_users();
  // 48 nu / (mu l^(2/3)) = 499.2 and 8 (1 + B^2) nu / mu = 155.6.
  EXPECT_REFUSED("rounds", noble_scaffold_orders(run, losses_of_orders[1], 499));
  EXPECT_NO_THROW(noble_scaffold_orders(run, losses_of_orders[1], 500));
  EXPECT_REFUSED("rounds", noble_fedavg_orders(run, losses_of_orders[1], dissimilar, 155));
  EXPECT_NO_THROW(noble_fedavg_orders(run, losses_of_orders[1], dissimilar, 156));
  EXPECT_REFUSED("rounds", noble_scaffold_orders(run, losses_of_orders[0], 0));
  NobleRun bad = run;
  bad.smoothness = nan;
  EXPECT_REFUSED("smoothness", noble_scaffold_orders(bad, losses_of_orders[0], 5));
  EXPECT_REFUSED("smoothness", noble_fedavg_orders(bad, losses_of_orders[0], dissimilar, 5));
  EXPECT_REFUSED("smoothness", noble_noise_order(bad, budget, 5));
  EXPECT_REFUSED("offset", noble_fedavg_orders(run, losses_of_orders[0], {.offset = nan}, 5));
  EXPECT_REFUSED("factor", noble_fedavg_orders(run, 3, {.offset = 1, .factor = 0}, budget, 5));
  EXPECT_REFUSED("distance", noble_scaffold_orders(run, nan, budget, 5));
  EXPECT_REFUSED("distance", noble_fedavg_orders(run, 0, dissimilar, budget, 5));
  for (const double value : {nan, 0.0, 1.0, -1.0}) {
    const auto with = [&](double NobleBudget::* member) {
      NobleBudget other = budget;
      other.*member = value;
      EXPECT_THROW(static_cast<void>(noble_noise_order(run, other, 5)), InvalidArgument);
      return noble_scaffold_orders(run, 3, other, 5);
    };
    EXPECT_REFUSED("epsilon", with(&NobleBudget::epsilon));
    EXPECT_REFUSED("delta", with(&NobleBudget::delta));
    EXPECT_REFUSED("records", with(&NobleBudget::records));
  }
  EXPECT_REFUSED("delta", noble_noise_order(run, {.epsilon = 0.5, .delta = 0.9, .records = 40}, 2));
  EXPECT_REFUSED("rounds", noble_noise_order(run, budget, 0));
}

}  // namespace
}  // namespace dpbudget::fl
