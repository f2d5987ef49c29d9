#include "dpbudget/accounting/shuffle/blanket/blanket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "accounting/shuffle/finite_blankets.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/blanket/gaussian_randomizer.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using testing::Channel;
using testing::log_uniform;

struct Finite {
  Randomizer randomizer;
  Channel channel;
};

Finite random_finite() {
  const double e0 = log_uniform(0.01, 6);
  const auto k = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  switch (*rc::gen::inRange(0, 5)) {
    case 3:
      return {unary_encoding(e0, 2), testing::unary_channel(e0, 2)};
    case 4:
      return {hadamard_response(e0, std::min<std::size_t>(k, 3)),
              testing::hadamard_channel(e0, std::min<std::size_t>(k, 3))};
    case 0:
      return {randomized_response(e0, k), testing::response_channel(e0, k)};
    case 1:
      return {subset_selection(e0, k, k - 1), testing::subset_channel(e0, k, static_cast<int>(k) - 1)};
    default:
      return {rappor(e0, 2), testing::rappor_channel(e0, 2)};
  }
}

double local_epsilon_of(const Randomizer& randomizer) { return randomizer.pairs.front().atoms.front().from.first; }

// The clones of Feldman, McMillan, Talwar 2021 are a blanket too: e^-e0 (R_x + R_x') / 2.
Randomizer clones_of(double e0) {
  const double high = std::log(2.0) + e0 - std::log1p(std::exp(-e0));
  BlanketPair pair{.rest = -std::expm1(-e0), .atoms = {}, .stretches = {}};
  for (const LogRatios& ratios : {LogRatios{high, high - e0}, LogRatios{high - e0, high}})
    pair.atoms.push_back({std::exp(-e0) / 2, ratios, ratios, ratios});
  return {"clones", {pair}};
}

// accounting/shuffle/blanket/proofs.md, 1.1 and 1.2
RC_GTEST_PROP(Blanket, EnclosesTheEnumeratedExpression, ()) {
  const auto [randomizer, channel] = random_finite();
  const int reports = *rc::gen::inRange(1, 9);
  const double epsilon = *rc::gen::inRange(0, 11) * 0.1 * local_epsilon_of(randomizer);
  const numeric::Bracket found = blanket_log_delta(randomizer, static_cast<std::uint64_t>(reports), epsilon);
  const auto truth = static_cast<double>(std::log(testing::worst_blanket_expression(channel, reports, epsilon)));
  RC_LOG() << reports << " reports, " << epsilon << ": " << found.lower << " " << truth << " " << found.upper;
  if (truth > -35) {
    RC_ASSERT(found.lower <= truth + 1e-10);
    RC_ASSERT(found.upper - found.lower < (epsilon == 0 ? 0.01 : 1e-4));
  }
  RC_ASSERT(found.upper >= truth - 1e-10 || truth < -35);
}

// accounting/shuffle/blanket/proofs.md, 1.1
RC_GTEST_PROP(Blanket, IsAboveTheExactDeltaWhateverOthersHold, ()) {
  const auto [randomizer, channel] = random_finite();
  const int reports = *rc::gen::inRange(2, 6);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * local_epsilon_of(randomizer);
  const numeric::Bracket found = blanket_log_delta(randomizer, static_cast<std::uint64_t>(reports), epsilon);
  RC_ASSERT(testing::shuffled_delta(channel, reports, epsilon) <= std::exp(found.upper) * (1 + 1e-12L) + 1e-16L);
}

TEST(Blanket, OfEightReportsIsAboveTheExactDelta) {
  for (const double epsilon : {0.0, 0.2, 0.7})
    EXPECT_LE(testing::shuffled_delta(testing::rappor_channel(1, 2), 8, epsilon),
              std::exp(blanket_log_delta(rappor(1, 2), 8, epsilon).upper));
}

// Inputs on a grid; which of five intervals the noisy value is in tells less than the value.
TEST(Blanket, OfLaplaceNoiseIsAboveTheExactDelta) {
  for (const double e0 : {0.5, 5.0}) {
    const Channel channel = testing::cut_laplace_channel(e0, {0, 0.25, 0.5, 0.75, 1}, {0, 0.25, 0.5, 0.75, 1});
    for (const int reports : {2, 3})
      EXPECT_LE(testing::shuffled_delta(channel, reports, 0.3 * e0),
                std::exp(blanket_log_delta(laplace(e0), static_cast<std::uint64_t>(reports), 0.3 * e0).upper));
  }
}

// Reports of x or other plus Laplace noise, cut into cells: a merged pair, whose bound is below that of the pair
// itself.
Randomizer cut_laplace_pair(double e0, double x, double other) {
  const auto below = [e0](double centre, double y) {
    return y < centre ? std::exp(e0 * (y - centre)) / 2 : 1 - std::exp(e0 * (centre - y)) / 2;
  };
  BlanketPair pair{.rest = -std::expm1(-e0 / 2), .atoms = {}, .stretches = {}};
  const int cuts = 64;
  for (int i = -1; i <= cuts; ++i) {
    const double from = i < 0 ? -infinity : static_cast<double>(i) / cuts;
    const double to = i == cuts ? infinity : static_cast<double>(i + 1) / cuts;
    // the farther end's density, on either side of 1/2
    const double mass = i < cuts / 2 ? below(1, to) - below(1, from) : below(0, to) - below(0, from);
    const LogRatios ratios{std::log((below(x, to) - below(x, from)) / mass),
                           std::log((below(other, to) - below(other, from)) / mass)};
    pair.atoms.push_back({mass, ratios, ratios, ratios});
  }
  return {"", {pair}};
}

// accounting/shuffle/blanket/proofs.md, 3.1
RC_GTEST_PROP(Blanket, OfLaplaceNoiseIsWorstAtTheEnds, ()) {
  const double e0 = log_uniform(0.1, 12);
  const double reports = log_uniform(1e6, 1e9);
  const double x = *rc::gen::inRange(0, 65) / 64.0;
  const double other = *rc::gen::inRange(0, 65) / 64.0;
  const double epsilon = std::min(0.9 * e0, log_uniform(0.03, 4) * std::exp(e0 / 2) / std::sqrt(reports));
  const auto n = static_cast<std::uint64_t>(reports);
  RC_ASSERT(blanket_log_delta(cut_laplace_pair(e0, x, other), n, epsilon).lower <=
            blanket_log_delta(laplace(e0), n, epsilon).upper);
}

// Made with mpmath, 30 digits: one share by E(L - k)_+ in closed form, the other by quadrature (mp.quad) between the
// kinks, plus twice the first alone times the rest.
// accounting/shuffle/blanket/proofs.md, 3.2 and 4.1
TEST(Blanket, OfTwoNoisyReportsIsTheirIntegral) {
  struct Known {
    double local_epsilon;
    double epsilon;
    double log_delta;
  };
  for (const auto& [e0, epsilon, truth] : {Known{0.01, 0.004, -6.4993036368280696}, Known{1, 0.25, -1.4801518226000688},
                                           Known{10, 2, -0.018760229221708355}}) {
    const numeric::Bracket found = blanket_log_delta(laplace(e0), 2, epsilon);
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.upper, truth);
    EXPECT_LT(found.upper - found.lower, 1e-3);
  }
}

// Made with mpmath in the same way, 25 digits.
TEST(Blanket, OfTwoGaussianReportsIsTheirIntegral) {
  struct Known {
    double noise;
    double epsilon;
    double log_delta;
  };
  for (const auto& [noise, epsilon, truth] : {Known{20, 0.01, -3.7141132001485765}}) {
    const numeric::Bracket found = blanket_log_delta(gaussian_signs(noise, 1e-6), 2, epsilon);
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.upper, truth);
    EXPECT_LT(found.upper - found.lower, 5e-3);
  }
}

TEST(Blanket, OfOneGaussianReportIsTheLocalDelta) {
  for (const double noise : {1.0, 3.0, 100.0}) {
    const double epsilon = 0.3 / noise;
    const double truth = profile::gaussian_log_delta(epsilon, noise / 2);
    const numeric::Bracket found = blanket_log_delta(gaussian_signs(noise, 1e-9), 1, epsilon);
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.upper, truth);
    EXPECT_LT(found.upper - found.lower, 1e-2);
  }
}

TEST(Blanket, OfManyGaussianReportsIsNarrow) {
  for (const double noise : {1.5, 5.0, 50.0}) {
    const double epsilon = 2 / noise / std::sqrt(1e5);
    const numeric::Bracket found = blanket_log_delta(gaussian_signs(noise, 1e-10), 100000, epsilon);
    EXPECT_LE(found.lower, found.upper);
    EXPECT_LT(found.upper - found.lower, 1e-3);
  }
}

// Binary randomised response: (sum)_+ = (a A - b B)_+, a, b > 0, with A ~ Bin(n, g), B given A ~ Bin(n - A, g / (1 -
// g)).
double binary_response_delta(double e0, double reports, double epsilon) {
  const double mass = 1 / (std::exp(e0) + 1);
  const double a = std::exp(e0) - std::exp(epsilon);
  const double b = std::exp(epsilon + e0) - 1;
  const double mean = reports * mass;
  const boost::math::binomial_distribution<> ones(reports, mass);
  double total = 0;
  for (double i = std::floor(std::max(1.0, mean - 14 * std::sqrt(mean))); i < mean + 14 * std::sqrt(mean); i += 1) {
    const double trials = reports - i;
    const double chance = mass / (1 - mass);
    const double most = std::min(std::floor(i * a / b), trials - 1);  // all of them is too rare to matter
    if (most < 1) {
      total +=
          boost::math::pdf(ones, i) * i * a * boost::math::cdf(boost::math::binomial_distribution<>(trials, chance), 0);
      continue;
    }
    const double below = boost::math::cdf(boost::math::binomial_distribution<>(trials, chance), most);
    const double one_less = boost::math::cdf(boost::math::binomial_distribution<>(trials - 1, chance), most - 1);
    total += boost::math::pdf(ones, i) * (i * a * below - b * trials * chance * one_less);
  }
  return total / reports;
}

// accounting/shuffle/blanket/proofs.md, 5.5 and 5.6
TEST(Blanket, OfManyBinaryResponsesIsTheirSum) {
  for (const double e0 : {0.1, 1.0, 4.0}) {
    for (const double reports : {1e3, 1e5}) {
      for (const double multiple : {0.1, 1.0, 2.0}) {
        const double epsilon = multiple * 2 * std::sinh(e0 / 2) / std::sqrt(reports);
        const double truth = std::log(binary_response_delta(e0, reports, epsilon));
        const numeric::Bracket found =
            blanket_log_delta(randomized_response(e0, 2), static_cast<std::uint64_t>(reports), epsilon);
        EXPECT_LE(found.lower, truth + 1e-8);
        EXPECT_GE(found.upper, truth - 1e-8);
        EXPECT_LT(found.upper - found.lower, 1.5e-4);
      }
    }
  }
}

// accounting/shuffle/blanket/proofs.md, 1.2 and 1.3
RC_GTEST_PROP(Blanket, IsAtMostTheClones, ()) {
  const double e0 = log_uniform(1e-3, 3);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1e6, 1e9));
  const double epsilon =
      std::min(0.9, log_uniform(0.1, 5) * 2 * std::sinh(e0 / 2) / e0 / std::sqrt(static_cast<double>(reports))) * e0;
  const double most = blanket_log_delta(clones_of(e0), reports, epsilon).upper;
  const auto k = static_cast<std::uint64_t>(log_uniform(2, 100));
  RC_ASSERT(blanket_log_delta(randomized_response(e0, k), reports, epsilon).lower <= most + 1e-9);
  RC_ASSERT(blanket_log_delta(rappor(e0, k), reports, epsilon).lower <= most + 1e-9);
}

RC_GTEST_PROP(Blanket, IsNarrowAtAnyScale, ()) {
  const double e0 = log_uniform(1e-6, 20);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1e5, 1e9));
  const Randomizer randomizer = *rc::gen::arbitrary<bool>() ? rappor(e0, 1000) : randomized_response(e0, 5);
  const double epsilon = log_uniform(1e-3, 1) * e0;
  const numeric::Bracket found = blanket_log_delta(randomizer, reports, epsilon);
  RC_LOG() << e0 << " " << reports << " " << epsilon << " " << found.lower << " " << found.upper;
  RC_ASSERT(found.lower <= found.upper);
  if (found.lower > -230) RC_ASSERT(found.upper - found.lower < 1e-3);
  if (found.upper > -230) RC_ASSERT(found.lower > -infinity);
}

RC_GTEST_PROP(Blanket, FallsWithReportsAndEpsilon, ()) {
  const double e0 = log_uniform(1e-3, 5);
  const Randomizer randomizer = *rc::gen::arbitrary<bool>() ? rappor(e0, 3) : subset_selection(e0, 9, 4);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1e4, 1e8));
  const double epsilon = log_uniform(1e-3, 0.5) * e0;
  const double upper = blanket_log_delta(randomizer, reports, epsilon).upper;
  RC_ASSERT(blanket_log_delta(randomizer, 2 * reports, epsilon).lower <= upper);
  RC_ASSERT(blanket_log_delta(randomizer, reports, 1.5 * epsilon).lower <= upper);
}

RC_GTEST_PROP(Blanket, EpsilonMeetsItsDelta, ()) {
  const double e0 = log_uniform(1e-2, 6);
  const Randomizer randomizer = randomized_response(e0, 4);
  const auto reports = static_cast<std::uint64_t>(log_uniform(1e6, 1e9));
  const double delta = log_uniform(1e-100, 0.01);
  const Bound bound = blanket_epsilon(randomizer, reports, delta);
  RC_ASSERT(bound.upper <= e0);
  RC_ASSERT(bound.lower <= bound.upper && bound.guarantee == Guarantee::proven);
  RC_ASSERT(blanket_log_delta(randomizer, reports, bound.lower).upper >= std::log(delta) || bound.lower == 0);
  RC_ASSERT(blanket_log_delta(randomizer, reports, bound.upper).upper <= std::log(delta) + 1e-12);
  if (bound.upper > 0)
    RC_ASSERT(blanket_log_delta(randomizer, reports, bound.upper * (1 - 1e-5)).upper >= std::log(delta) - 1e-12);
}

// Of delta above what any witness shows at 0 there is no lower end.
RC_GTEST_PROP(Blanket, ShowsItsDeltaAtItsFloor, ()) {
  const Randomizer randomizer = randomized_response(log_uniform(0.1, 4), 4);
  const auto reports = static_cast<std::uint64_t>(log_uniform(10, 1e6));
  const double log_delta_at_zero = shuffled_log_delta_floor(randomizer, reports, 0);
  const double log_delta = log_delta_at_zero + std::log(log_uniform(1e-30, 10));
  if (log_delta >= 0) return;
  const double floor = blanket_epsilon_floor(randomizer, reports, std::exp(log_delta));
  RC_ASSERT(floor == 0 || shuffled_log_delta_floor(randomizer, reports, floor) >= log_delta - 1e-12);
  RC_ASSERT(log_delta <= log_delta_at_zero || floor == 0);
}

// What is asked less of is no less than the truth, nor much more.
RC_GTEST_PROP(Blanket, OfLessAccuracyBoundsTheSame, ()) {
  const double e0 = log_uniform(1e-2, 6);
  const Randomizer randomizer = randomized_response(e0, 4);
  const auto reports = static_cast<std::uint64_t>(log_uniform(2, 1e9));
  const double epsilon = log_uniform(1e-4, 0.9) * e0;
  const numeric::Bracket truth = blanket_log_delta(randomizer, reports, epsilon);
  const double rough = shuffled_log_delta_bound(randomizer, reports, epsilon, 1e-4);
  RC_ASSERT(rough >= truth.lower);
  RC_ASSERT(rough <= truth.upper + 1e-3 || rough <= truth.lower + 2 * (truth.upper - truth.lower));
}

RC_GTEST_PROP(Blanket, IsBelowItsDeltaBeyond, ()) {
  const double e0 = log_uniform(1e-2, 6);
  const Randomizer randomizer = randomized_response(e0, 4);
  const auto reports = static_cast<std::uint64_t>(log_uniform(2, 1e9));
  const double delta = log_uniform(1e-100, 0.5);
  const double beyond = epsilon_beyond(randomizer, reports, delta, 1e-4);
  RC_ASSERT(blanket_log_delta(randomizer, reports, beyond).lower <= std::log(delta));
  RC_ASSERT(beyond <= 1.3 * blanket_epsilon(randomizer, reports, delta).upper);
}

// Of so many reports a bound is mostly rounding.
TEST(Blanket, IsBelowItsDeltaNotFarBeyondAmongVeryManyReports) {
  const Randomizer randomizer = randomized_response(6, 1000);
  constexpr std::uint64_t reports = 1000000000000000;
  for (const double delta : {1e-6, 1e-30})
    EXPECT_LE(epsilon_beyond(randomizer, reports, delta, 5e-5),
              1.1 * blanket_epsilon(randomizer, reports, delta).upper);
}

// Among third values the others' reports are as good as a blanket: the bracket closes with their number.
TEST(Blanket, OfManyResponsesIsTheTruth) {
  const Bound bound = blanket_epsilon(randomized_response(1, 10), 1000000, 1e-6);
  EXPECT_GT(bound.lower, 0.9999 * bound.upper);
}

TEST(Blanket, IsNothingBeyondTheLocalEpsilon) {
  for (const double e0 : {1e-6, 0.7, 20.0}) {
    for (const Randomizer& randomizer : {randomized_response(e0, 7), rappor(e0, 7), laplace(e0)}) {
      EXPECT_EQ(blanket_log_delta(randomizer, 10, e0).upper, -infinity);
      EXPECT_EQ(blanket_log_delta(randomizer, 10, 800).upper, -infinity);
    }
  }
}

TEST(Blanket, OfOneReportIsTheLocalDelta) {
  const double truth = std::log((std::exp(2.0) - std::exp(0.5)) / (std::exp(2.0) + 4));
  const numeric::Bracket found = blanket_log_delta(randomized_response(2, 5), 1, 0.5);
  EXPECT_NEAR(found.lower, truth, 1e-12);
  EXPECT_NEAR(found.upper, truth, 1e-12);
  // 1 - e^((epsilon - local_epsilon) / 2) for Laplace noise
  const numeric::Bracket noisy = blanket_log_delta(laplace(2), 1, 0.5);
  EXPECT_LE(noisy.lower, std::log(-std::expm1(-0.75)));
  EXPECT_GE(noisy.upper, std::log(-std::expm1(-0.75)));
  EXPECT_LT(noisy.upper - noisy.lower, 1e-3);
}

TEST(Blanket, RefusesWhatIsOutOfRange) {
  const Randomizer randomizer = randomized_response(1, 3);
  EXPECT_THROW(blanket_log_delta(randomizer, 0, 0.1), InvalidArgument);
  EXPECT_THROW(blanket_log_delta(randomizer, 10, -0.1), InvalidArgument);
  EXPECT_THROW(blanket_log_delta(randomizer, 10, nan), InvalidArgument);
  EXPECT_THROW(blanket_log_delta(randomizer, 10, infinity), InvalidArgument);
  EXPECT_THROW(shuffled_log_delta(randomizer, 0, 0.1), InvalidArgument);
  EXPECT_THROW(shuffled_log_delta(randomizer, 10, nan), InvalidArgument);
  EXPECT_THROW(blanket_epsilon(randomizer, 0, 1e-6), InvalidArgument);
  EXPECT_THROW(blanket_epsilon(randomizer, 10, 0), InvalidArgument);
  EXPECT_THROW(blanket_epsilon(randomizer, 10, 1), InvalidArgument);
  EXPECT_THROW(blanket_epsilon(randomizer, 10, nan), InvalidArgument);
  EXPECT_REFUSED("accuracy", shuffled_log_delta_bound(randomizer, 10, 0.1, 0));
  EXPECT_REFUSED("accuracy", shuffled_log_delta_bound(randomizer, 10, 0.1, 1));
  EXPECT_REFUSED("accuracy", epsilon_beyond(randomizer, 10, 0.1, nan));
  EXPECT_REFUSED("reports", epsilon_beyond(randomizer, 0, 0.1, 0.1));
  EXPECT_REFUSED("delta", epsilon_beyond(randomizer, 10, 0, 0.1));
}

// Hardly any report comes from the blanket, and its few values are large: what one report alone shows.
// accounting/shuffle/blanket/proofs.md, 5.7
TEST(Blanket, OfFewReportsAndLittleNoiseIsThatOfOneReport) {
  const Bound least = blanket_epsilon(laplace(20), 10, 1e-100);
  EXPECT_GE(least.upper, least.lower);
  EXPECT_NEAR(least.upper, 20, 1e-4);
  EXPECT_GT(least.lower, 19.9);
}

}  // namespace
}  // namespace dpbudget::shuffle
