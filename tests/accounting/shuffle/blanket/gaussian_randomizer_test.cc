#include "dpbudget/accounting/shuffle/blanket/gaussian_randomizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/blanket/blanket.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// Any two inputs in [-1, 1], of whose reports only a cell is told: a merged pair, with a smaller bound than its own.
Randomizer cut_pair(double noise, double x, double other) {
  BlanketPair pair{.rest = std::erf(1 / (noise * std::sqrt(2.0))), .atoms = {}, .stretches = {}};
  const int cuts = 16;
  const double last = 1 + 6 * noise;
  for (const int sign : {-1, 1}) {
    for (int i = 0; i < cuts; ++i) {
      const double from = last * i / cuts;
      const double to = i + 1 == cuts ? std::numeric_limits<double>::infinity() : last * (i + 1) / cuts;
      const double mass = numeric::normal_mass((from + 1) / noise, (to + 1) / noise);
      const auto log_ratio = [&](double input) {
        return std::log(numeric::normal_mass((from - sign * input) / noise, (to - sign * input) / noise) / mass);
      };
      const LogRatios ratios{log_ratio(x), log_ratio(other)};
      pair.atoms.push_back({mass, ratios, ratios, ratios});
    }
  }
  return {"", {pair}};
}

double of_pair(const Randomizer& pair, double reports, double epsilon) {
  return blanket_log_delta(pair, static_cast<std::uint64_t>(reports), epsilon).lower;
}

// Pairs that are far from and close to each other, inside and at an end.
// accounting/shuffle/blanket/proofs.md, 6.1
TEST(GaussianRandomizer, NoPairOfInputsIsWorse) {
  const double reports = 1e6;
  for (const double noise : {2.0, 6.0}) {
    const double epsilon = 2 * std::sqrt(std::expm1(4 / (noise * noise)) / reports);
    const double upper = blanket_log_delta(gaussian(noise, 1, 1e-6), 1000000, epsilon).upper;
    for (const auto& [x, other] :
         {std::pair{1.0, -1.0}, {1.0, -0.5}, {0.5, -1.0}, {1.0, 0.9}, {0.3, -0.2}, {1.0, 0.99}}) {
      EXPECT_LE(of_pair(cut_pair(noise, x, other), reports, epsilon), upper);
      EXPECT_LE(of_pair(cut_pair(noise, other, x), reports, epsilon), upper);
    }
  }
}

// Where the worst pair is told apart from close ones, they cost nothing: the proven bound is the bound of 1 and -1.
TEST(GaussianRandomizer, ClosePairsCostNothing) {
  for (const double noise : {2.0, 5.0, 20.0}) {
    const double epsilon = 3 * std::sqrt(std::expm1(4 / (noise * noise)) / 1e6);
    const numeric::Bracket signs = blanket_log_delta(gaussian_signs(noise, 1e-9), 1000000, epsilon);
    const numeric::Bracket all = blanket_log_delta(gaussian(noise, 1, 1e-9), 1000000, epsilon);
    EXPECT_EQ(all.lower, signs.lower);
    EXPECT_EQ(all.upper, signs.upper);
    EXPECT_GT(all.upper, -20);
  }
}

TEST(GaussianRandomizer, OfOneReportIsTheLocalDelta) {
  for (const double noise : {3.0, 20.0}) {
    const double epsilon = 0.3 / noise;
    const double truth = profile::gaussian_log_delta(epsilon, noise / 2);
    const numeric::Bracket found = shuffled_log_delta(gaussian(noise, 1, 1e-9), 1, epsilon);
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.upper, truth);
    EXPECT_LT(found.upper - found.lower, 1e-2);
  }
}

// Of two users the other one holds -1: two reports, by the definition, on cells of both.
// accounting/shuffle/blanket/proofs.md, 6.1 and 6.3
TEST(GaussianRandomizer, OfTwoReportsIsAboveTheExactDelta) {
  const double noise = 3;
  const double epsilon = 0.2;
  const int cuts = 120;
  const auto mass = [&](double x, int i) {
    const auto edge = [&](int j) { return (j == 0 ? -1e3 : j == cuts ? 1e3 : (2.0 * j / cuts - 1) * 20) - x; };
    return numeric::normal_mass(edge(i) / noise, edge(i + 1) / noise);
  };
  double exact = 0;
  for (int i = 0; i < cuts; ++i) {
    for (int j = i; j < cuts; ++j) {
      const auto both = [&](double x) { return mass(x, i) * mass(-1, j) + (i == j ? 0 : mass(x, j) * mass(-1, i)); };
      exact += std::max(0.0, both(1) - std::exp(epsilon) * both(-1));
    }
  }
  const numeric::Bracket found = shuffled_log_delta(gaussian(noise, 1, 1e-9), 2, epsilon);
  EXPECT_GE(std::exp(found.upper), exact);
  EXPECT_NEAR(std::exp(found.lower), exact, 0.01 * exact);
}

TEST(GaussianRandomizer, GrowsWithTheDimension) {
  const double epsilon = 1e-3;
  double last = blanket_log_delta(gaussian(10, 1, 1e-9), 1000000, epsilon).lower;
  for (const std::uint64_t dimension : {2, 30}) {
    const numeric::Bracket found = shuffled_log_delta(gaussian(10, dimension, 1e-9), 1000000, epsilon);
    EXPECT_LE(found.lower, found.upper);
    EXPECT_LE(last, found.upper);
    last = found.upper;
  }
  EXPECT_LT(last, -14);
}

double mass_of(const BlanketPair& pair) {
  double mass = 0;
  for (const Stretch& stretch : pair.stretches)
    mass += stretch.cell(0, stretch.to / 3).mass + stretch.cell(stretch.to / 3, stretch.to).mass;
  return mass;
}

// accounting/shuffle/blanket/proofs.md, 6.3
RC_GTEST_PROP(GaussianRandomizer, HasOutputsOfTotalMassOne, ()) {
  const double noise = log_uniform(1.42, 1e3);
  const double left_out = log_uniform(1e-60, 0.1);
  const std::uint64_t dimension = *rc::gen::inRange(0, 10) == 0 ? 50 : 1;
  const Randomizer randomizer = gaussian(noise, dimension, left_out);
  for (const BlanketPair& pair : randomizer.pairs) {
    RC_ASSERT(std::abs(mass_of(pair) + pair.left_out_blanket + pair.rest - 1) < 1e-9);
    RC_ASSERT(pair.left_out <= 2.1 * left_out || noise > 10);
  }
  for (const BlanketPair& pair : randomizer.witnesses) {
    RC_ASSERT(mass_of(pair) <= 1 + 1e-12);
    RC_ASSERT(mass_of(pair) >= 1 - 4.1 * left_out - 2 * numeric::upper_tail(1 / noise));
  }
}

TEST(GaussianRandomizer, RefusesWhatIsOutOfRange) {
  for (const double noise : {0.0, 1.41, 1001.0, nan}) EXPECT_REFUSED("noise", gaussian(noise, 1, 0.01));
  for (const double noise : {0.0, 0.99, 1001.0, nan}) EXPECT_REFUSED("noise", gaussian_signs(noise, 0.01));
  for (const double left_out : {0.0, 1e-101, 0.11, nan}) {
    EXPECT_REFUSED("left_out", gaussian(2, 1, left_out));
    EXPECT_REFUSED("left_out", gaussian_signs(2, left_out));
  }
  for (const std::uint64_t dimension : {0, 10001}) EXPECT_REFUSED("dimension", gaussian(2, dimension, 0.01));
}

}  // namespace
}  // namespace dpbudget::shuffle
