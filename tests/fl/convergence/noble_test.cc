#include "dpbudget/fl/convergence/noble.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "accounting/base/nan.h"
#include "fl/convergence/noble_problem.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

constexpr NobleSteps steps{.local = 0.004, .server = 1.5};
const std::array<NobleLosses, 3> losses = {
    ConvexLosses{.distance = 3}, ConvexLosses{.distance = 3, .strong_convexity = 0.4}, NonconvexLosses{.gap = 3}};

void expect_terms(const NobleBound& bound, const std::array<double, 5>& expected) {
  EXPECT_NEAR(bound.optimisation / expected[0], 1, 1e-13);
  EXPECT_NEAR(bound.gradients / expected[1], 1, 1e-13);
  EXPECT_NEAR(bound.privacy / expected[2], 1, 1e-13);
  EXPECT_NEAR(bound.client_sampling, expected[3], 1e-13 * expected[3]);
  EXPECT_NEAR(bound.drift, expected[4], 1e-13 * expected[4]);
  EXPECT_NEAR(
      bound.total / (bound.optimisation + bound.gradients + bound.privacy + bound.client_sampling + bound.drift), 1,
      1e-15);
}

// validation/convergence_reference.py: averages and weights summed term by term, P by root finding, in 40 digits.
// fl/convergence/proofs.md, 2.1, 2.2, 2.3, 2.4, 3.1 and 4.1
TEST(NobleBound, IsTheProofsInAnotherComputation) {
  constexpr std::array<std::array<double, 5>, 3> fedavg = {
      {{3.1147325337586108, 0.00017845772839659015, 0.00043722143457164587, 0.013781841989372646,
        0.0007065695168655256},
       {2.5787205934399373, 0.00018040424654873325, 0.00044199040404439647, 0.013793496777299384,
        0.00083079763700427221},
       {4.1550001090912581, 0.00071831674589961703, 0.0017598760274540617, 0.055154226902642649,
        0.0031125669545808504}}};
  constexpr std::array<std::array<double, 5>, 3> scaffold = {
      {{2.997637683077972, 0.0004783769039760631, 0.0011720234147413546, 0, 0},
       {2.4832856280841575, 0.00048571157588081314, 0.0011899933609079922, 0, 0},
       {3.9981156275797911, 0.0019252716363002484, 0.0047169155089356086, 0, 0}}};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    SCOPED_TRACE(i);
    expect_terms(noble_fedavg_bound(twelve_users(), losses[i], dissimilar, steps, 50), fedavg[i]);
    expect_terms(noble_scaffold_bound(twelve_users(), losses[i], steps, 50), scaffold[i]);
  }
}

// fl/convergence/proofs.md, 1.1. Two steps of length eta from x on y^2 / 2, the noise of each 1 or -1: the true
// gradients' mean m at the local models and the noise's mean e are not uncorrelated. And a mean of S of M values
// without replacement has the share (M - S) / (M - 1) of the variance, which the term of the drawn users follows.
TEST(NobleBound, SeparatesWhereGradientsDoNotKnowTheNoise) {
  constexpr double eta = 0.25;
  constexpr double x = 3;
  double products = 0;
  for (const double first : {1.0, -1.0})
    for (const double second : {1.0, -1.0}) {
      const double moved = x - eta * (x + first);
      products += (x + moved) / 2 * (first + second) / 2 / 4;
    }
  EXPECT_NEAR(products, -eta / 4, 1e-15);
  const auto of_drawn = [](double participants) {
    NobleRun run = twelve_users();
    run.participants = participants;
    return noble_fedavg_bound(run, losses[0], dissimilar, {.local = 1e-9}, 50).client_sampling;
  };
  EXPECT_NEAR(of_drawn(3) / of_drawn(6), (9.0 / 11 / 3) / (6.0 / 11 / 6), 1e-6);
  EXPECT_NEAR(of_drawn(11) / of_drawn(6), (1.0 / 11 / 11) / (6.0 / 11 / 6), 1e-6);
}

// One user, one step, no noise: gradient descent, whose classical bounds are D^2 / (2 eta T) and 2 gap / (eta T).
TEST(NobleBound, IsGradientDescentsUpToTheGain) {
  NobleRun run = twelve_users();
  run.users = run.participants = run.local_steps = 1;
  run.gradient_variance = run.noise_multiplier = 0;
  const NobleSteps small{.local = 1e-6};
  const double eta = small.local;
  const NobleBound convex = noble_fedavg_bound(run, losses[0], {.offset = 0}, small, 100);
  EXPECT_EQ(convex.total, convex.optimisation);
  EXPECT_NEAR(convex.total / (9 / (2 * eta * 100)), 1, 5e-6);
  EXPECT_NEAR(noble_fedavg_bound(run, losses[2], {.offset = 0}, small, 100).total / (2 * 3 / (eta * 100)), 1, 5e-6);
  EXPECT_NEAR(noble_scaffold_bound(run, losses[0], small, 100).total / convex.total, 1, 1e-5);
}

TEST(NobleBound, DropsTheTermsOfWhatDoesNotHappen) {
  NobleRun run = twelve_users();
  run.noise_multiplier = 0;
  EXPECT_EQ(noble_fedavg_bound(run, losses[0], dissimilar, steps, 50).privacy, 0);
  EXPECT_EQ(noble_scaffold_bound(run, losses[0], steps, 50).privacy, 0);
  run.participants = run.users;
  EXPECT_EQ(noble_fedavg_bound(run, losses[0], dissimilar, steps, 50).client_sampling, 0);
  EXPECT_GT(noble_fedavg_bound(run, losses[0], dissimilar, steps, 50).drift, 0);
  run.local_steps = 1;
  const NobleBound together = noble_fedavg_bound(run, losses[0], dissimilar, steps, 50);
  EXPECT_EQ(together.drift, 0);
  EXPECT_DOUBLE_EQ(together.total, together.optimisation + together.gradients);
}

TEST(NobleBound, StrongConvexityForgetsTheStartExponentially) {
  const auto left = [](std::uint64_t rounds) {
    return noble_scaffold_bound(twelve_users(), losses[1], steps, rounds).optimisation;
  };
  const double rate = -std::log1p(-0.4 * 6 * steps.server * steps.local / 2);
  EXPECT_NEAR(std::log(left(4000) / left(5000)) / (1000 * rate), 1, 1e-9);
  const NobleLosses hardly = ConvexLosses{.distance = 3, .strong_convexity = 1e-12};
  EXPECT_NEAR(noble_scaffold_bound(twelve_users(), hardly, steps, 50).total /
                  noble_scaffold_bound(twelve_users(), losses[0], steps, 50).total,
              1, 1e-10);
}

NobleRun any_run() {
  NobleRun run = twelve_users();
  run.smoothness = *rc::gen::element(0.1, 1.0, 30.0);
  run.users = *rc::gen::inRange(1, 200);
  run.participants = *rc::gen::inRange(1, static_cast<int>(run.users) + 1);
  run.local_steps = *rc::gen::inRange(1, 20);
  run.noise_multiplier = *rc::gen::element(0.1, 1.0, 40.0);
  return run;
}

NobleLosses any_losses(const NobleRun& run) {
  return *rc::gen::element<NobleLosses>(
      ConvexLosses{.distance = 3}, ConvexLosses{.distance = 3, .strong_convexity = run.smoothness / 100},
      ConvexLosses{.distance = 3, .strong_convexity = run.smoothness}, NonconvexLosses{.gap = 2});
}

// Theorem C.2's steps are always taken, and the gain there is as fl/convergence/proofs.md, 3.1, says: more than 0.73.
RC_GTEST_PROP(NobleBound, TakesTheStepsOfTheoremC2, ()) {
  const NobleRun run = any_run();
  const NobleLosses any = any_losses(run);
  const Dissimilarity d{.offset = 1, .factor = *rc::gen::element(1.0, 1.5, 10.0)};
  const double server = *rc::gen::element(1.0, std::sqrt(run.participants), 100.0);
  const double eta = 1 / (8 * (1 + d.factor * d.factor) * run.smoothness);
  const NobleBound bound =
      noble_fedavg_bound(run, any, d, {.local = eta / (run.local_steps * server), .server = server}, 1000);
  if (const auto* l = std::get_if<NonconvexLosses>(&any)) {
    RC_ASSERT(bound.optimisation <= 2 * l->gap / (eta * 1000) / 0.73);
  } else {
    RC_ASSERT(bound.optimisation <= 9 / (2 * eta * 1000) / 0.73);
  }
}

// Theorem C.1's steps are taken where a user comes round within about a hundred rounds.
RC_GTEST_PROP(NobleBound, TakesTheStepsOfTheoremC1, ()) {
  NobleRun run = any_run();
  run.participants = std::max(run.participants, std::ceil(run.users / 100));
  const double server = std::sqrt(run.participants);
  const double eta = std::pow(run.participants / run.users, 2.0 / 3) / (24 * run.smoothness);
  const NobleLosses any = *rc::gen::element<NobleLosses>(ConvexLosses{.distance = 3}, NonconvexLosses{.gap = 2});
  const NobleBound bound =
      noble_scaffold_bound(run, any, {.local = eta / (run.local_steps * server), .server = server}, 1000);
  RC_ASSERT(std::isfinite(bound.total) && 0 < bound.total);
}

RC_GTEST_PROP(NobleBound, GrowsWithNoiseAndFallsWithRoundsAndBatch, ()) {
  const NobleRun run = any_run();
  const NobleLosses any = any_losses(run);
  const NobleSteps small{.local = 1e-3 / (run.smoothness * run.local_steps * run.users), .server = 1};
  const std::uint64_t rounds = *rc::gen::inRange<std::uint64_t>(1, 5000);
  const auto both = [&](const NobleRun& r, std::uint64_t t) {
    return std::array{noble_fedavg_bound(r, any, dissimilar, small, t), noble_scaffold_bound(r, any, small, t)};
  };
  const auto base = both(run, rounds);
  NobleRun noisier = run;
  noisier.noise_multiplier *= 2;
  NobleRun larger = run;
  larger.batch *= 2;
  NobleRun wider = run;
  wider.dimension *= 2;
  NobleRun more = run;
  more.participants = std::min(run.users, run.participants + 1);
  for (const std::size_t i : {0, 1}) {
    RC_ASSERT(std::abs(both(noisier, rounds)[i].privacy / base[i].privacy - 4) < 1e-12);
    RC_ASSERT(std::abs(both(larger, rounds)[i].privacy / base[i].privacy - 0.25) < 1e-12);
    RC_ASSERT(std::abs(both(larger, rounds)[i].gradients / base[i].gradients - 0.5) < 1e-12);
    RC_ASSERT(std::abs(both(wider, rounds)[i].privacy / base[i].privacy - 2) < 1e-12);
    RC_ASSERT(both(run, rounds + 1)[i].total < base[i].total);
    RC_ASSERT(both(more, rounds)[i].total <= base[i].total * (1 + 1e-12));
  }
}

// Losses times a, lengths times b: every term is of the unit of the loss, or of the squared gradient.
RC_GTEST_PROP(NobleBound, DoesNotDependOnTheUnits, ()) {
  const NobleRun run = any_run();
  const NobleLosses any = any_losses(run);
  const double a = *rc::gen::element(0.01, 3.0);
  const double b = *rc::gen::element(0.2, 50.0);
  NobleRun other = run;
  other.smoothness *= a / (b * b);
  other.gradient_variance *= a * a / (b * b);
  other.clip_norm *= a / b;
  NobleLosses same = any;
  double unit = a;
  if (auto* l = std::get_if<ConvexLosses>(&same)) {
    l->distance *= b;
    l->strong_convexity = std::min(l->strong_convexity * a / (b * b), other.smoothness);
  } else {
    std::get<NonconvexLosses>(same).gap *= a;
    unit = a * a / (b * b);
  }
  const double local = 1e-3 / (run.smoothness * run.local_steps * run.users);
  const NobleSteps small{.local = local};
  const NobleSteps rescaled{.local = local * b * b / a};
  const Dissimilarity moved{.offset = dissimilar.offset * a / b, .factor = dissimilar.factor};
  const auto near = [&](double x, double y) { return std::abs(x - unit * y) <= 1e-9 * unit * std::abs(y); };
  const NobleBound f = noble_fedavg_bound(run, any, dissimilar, small, 70);
  const NobleBound g = noble_fedavg_bound(other, same, moved, rescaled, 70);
  RC_ASSERT(near(g.optimisation, f.optimisation) && near(g.gradients, f.gradients) && near(g.privacy, f.privacy));
  RC_ASSERT(near(g.client_sampling, f.client_sampling) && near(g.drift, f.drift));
  RC_ASSERT(
      near(noble_scaffold_bound(other, same, rescaled, 70).total, noble_scaffold_bound(run, any, small, 70).total));
}

TEST(NobleBound, RefusesByName) {
  const auto refused = [&](double NobleRun::* member, double value) {
    NobleRun run = twelve_users();
    run.*member = value;
    EXPECT_THROW(static_cast<void>(noble_scaffold_bound(run, losses[0], steps, 5)), InvalidArgument);
    return noble_fedavg_bound(run, losses[0], dissimilar, steps, 5);
  };
  for (const double bad : {nan, -1.0, inf}) {
    EXPECT_REFUSED("smoothness", refused(&NobleRun::smoothness, bad));
    EXPECT_REFUSED("gradient_variance", refused(&NobleRun::gradient_variance, bad));
    EXPECT_REFUSED("clip_norm", refused(&NobleRun::clip_norm, bad));
    EXPECT_REFUSED("noise_multiplier", refused(&NobleRun::noise_multiplier, bad));
    EXPECT_REFUSED("dimension", refused(&NobleRun::dimension, bad));
    EXPECT_REFUSED("users", refused(&NobleRun::users, bad));
    EXPECT_REFUSED("participants", refused(&NobleRun::participants, bad));
    EXPECT_REFUSED("batch", refused(&NobleRun::batch, bad));
    EXPECT_REFUSED("local_steps", refused(&NobleRun::local_steps, bad));
    const auto with = [&](const NobleLosses& l) { return noble_scaffold_bound(twelve_users(), l, steps, 5); };
    EXPECT_REFUSED("distance", with(ConvexLosses{.distance = bad}));
    EXPECT_REFUSED("strong_convexity", with(ConvexLosses{.distance = 1, .strong_convexity = bad}));
    EXPECT_REFUSED("gap", with(NonconvexLosses{.gap = bad}));
    const auto differing = [&](const Dissimilarity& d) {
      return noble_fedavg_bound(twelve_users(), losses[0], d, steps, 5);
    };
    EXPECT_REFUSED("offset", differing({.offset = bad}));
    EXPECT_REFUSED("factor", differing({.offset = 1, .factor = bad}));
    const auto stepping = [&](const NobleSteps& s) { return noble_scaffold_bound(twelve_users(), losses[0], s, 5); };
    EXPECT_REFUSED("local_step", stepping({.local = bad}));
    EXPECT_REFUSED("server_step", stepping({.local = 0.001, .server = bad}));
  }
  EXPECT_REFUSED("participants", refused(&NobleRun::participants, 13));
  EXPECT_REFUSED("rounds", noble_scaffold_bound(twelve_users(), losses[0], steps, 0));
  EXPECT_REFUSED("strong_convexity",
                 noble_scaffold_bound(twelve_users(), ConvexLosses{.distance = 1, .strong_convexity = 2.1}, steps, 5));
  EXPECT_REFUSED("factor", noble_fedavg_bound(twelve_users(), losses[0], {.offset = 1, .factor = 0.9}, steps, 5));
  EXPECT_REFUSED("server_step", noble_scaffold_bound(twelve_users(), losses[0], {.local = 0.001, .server = 0.9}, 5));
  for (const NobleLosses& any : losses)
    for (const double large : {0.06, 1.0, 1e300}) {
      EXPECT_REFUSED("local_step", noble_fedavg_bound(twelve_users(), any, dissimilar, {.local = large}, 5));
      EXPECT_REFUSED("local_step", noble_scaffold_bound(twelve_users(), any, {.local = large}, 5));
    }
}

}  // namespace
}  // namespace dpbudget::fl
