// One rare loss beside many small ones, against the convolution by its definition and against sums of deltas.

#include "dpbudget/accounting/loss_distribution/rare_loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/small_losses.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// A few losses of a few points, most of the mass at 0, and large ones that get rarer the larger they are.
LossDistribution with_rare_losses(Side side, double mesh) {
  constexpr int reach = 40;
  LossDistribution one{.side = side, .grid = {mesh}, .first = -reach, .mass = std::vector<double>(2 * reach + 1)};
  const double decades = log_uniform(20, 60);
  const double slope = log_uniform(0.05, 1);
  double rest = 1;
  for (int i = 1; i <= reach; ++i) {
    // Heavier than any exponential, as losses of rare samples are.
    const double mass = std::pow(10, -decades * std::pow(static_cast<double>(i) / reach, slope) - 1);
    one.mass[static_cast<std::size_t>(reach + i)] = mass;
    one.mass[static_cast<std::size_t>(reach - i)] = mass * std::exp(-mesh * i) * log_uniform(0.1, 1);
    rest -= mass + one.mass[static_cast<std::size_t>(reach - i)];
  }
  one.mass[reach] = rest;
  if (*rc::gen::arbitrary<bool>()) one.at_infinity = one.mass.back() * log_uniform(1e-3, 1);
  if (*rc::gen::arbitrary<bool>()) one.slack = mesh * log_uniform(1e-12, 1e-3);
  return one;
}

// All sums' masses: terms are positive, so that no tilt is needed.
struct Sums {
  std::int64_t first = 0;
  std::vector<long double> mass = {1};
  long double at_infinity = 0;

  void add(const LossDistribution& one) {
    std::vector<long double> next(mass.size() + one.mass.size() - 1);
    long double total = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      total += mass[i];
      for (std::size_t j = 0; j < one.mass.size(); ++j) next[i + j] += mass[i] * one.mass[j];
    }
    long double of_one = one.at_infinity;
    for (const double each : one.mass) of_one += each;
    at_infinity = at_infinity * of_one + total * one.at_infinity;
    mass = next;
    first += one.first;
  }

  long double delta(double mesh, long double epsilon) const {
    long double sum = at_infinity;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const long double loss = mesh * static_cast<long double>(first + static_cast<std::int64_t>(i));
      if (loss > epsilon) sum += mass[i] * -std::expm1(epsilon - loss);
    }
    return sum;
  }
};

// Whatever is found is on its side of the truth, and no farther from it than is said.
// accounting/loss_distribution/proofs.md, 3.5
RC_GTEST_PROP(RareLoss, BracketsTheConvolution, ()) {
  const double mesh = log_uniform(1e-3, 0.2);
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 12);
  const auto other_count = *rc::gen::inRange<std::uint64_t>(0, 4);
  for (const Side side : {Side::lower, Side::upper}) {
    const LossDistribution one = with_rare_losses(side, mesh);
    const LossDistribution other = with_rare_losses(side, mesh);
    Sums sums;
    for (std::uint64_t i = 0; i < count; ++i) sums.add(one);
    for (std::uint64_t i = 0; i < other_count; ++i) sums.add(other);
    const std::vector<Part> parts = {{&one, count}, {&other, other_count}};
    const double outwards = side == Side::upper ? 1 : -1;
    const double slack =
        outwards * (static_cast<double>(count) * one.slack + static_cast<double>(other_count) * other.slack);
    const double epsilon = mesh * log_uniform(1, 40);
    const long double truth = sums.delta(mesh, static_cast<long double>(epsilon) - slack);
    const auto found = rare_log_delta(parts, epsilon);
    RC_TAG(found.has_value());
    if (found) {
      const long double ratio = std::exp(found->value - std::log(truth));
      RC_LOG() << "epsilon " << epsilon << ", truth " << static_cast<double>(truth) << ", times "
               << static_cast<double>(ratio) << ", looseness " << found->looseness;
      RC_ASSERT(outwards * (ratio - 1) >= -1e-12L);
      // One release's slack counts twice, and delta may change by as much as the whole slack makes of it.
      const long double moved = sums.delta(mesh, epsilon - 2.5L * slack) / truth;
      RC_ASSERT(outwards * (ratio / moved - 1) <= found->looseness + 1e-9L);
    }
    if (!(truth > 1e-250L && truth < 1e-14L)) continue;
    const auto inverse = rare_epsilon(parts, static_cast<double>(truth));
    if (inverse) RC_ASSERT(outwards * (inverse->value - epsilon) >= -1e-10 * epsilon);
  }
}

// What is split is all there is.
// accounting/loss_distribution/proofs.md, 3.5
RC_GTEST_PROP(SmallLosses, AndLargeOnesAreAll, ()) {
  const double mesh = log_uniform(1e-3, 0.2);
  const LossDistribution one = with_rare_losses(Side::upper, mesh);
  const std::vector<Part> parts = {{&one, 1}};
  const double threshold = mesh * log_uniform(0.3, 50);
  const SmallLosses small(parts, threshold);
  double total = one.at_infinity;
  for (const double mass : one.mass) total += mass;
  RC_ASSERT(small.greatest() <= threshold);
  RC_ASSERT(std::abs(std::exp(small.of_all(0).greatest) + mass_above(parts, threshold) - total) <= 1e-10);
  double large = one.at_infinity;
  double below = 0;
  for (std::size_t i = 0; i < one.mass.size(); ++i) {
    if (one.loss(i) > threshold) large += one.mass[i];
    if (one.loss(i) <= -threshold) below += one.mass[i] * std::exp(-one.loss(i));
  }
  RC_ASSERT(mass_above(parts, threshold) >= large);
  RC_ASSERT(mass_above(parts, threshold) <= large * (1 + 1e-10) + 1e-300);
  RC_ASSERT(mean_below(parts, threshold) >= below * (1 - 1e-15));
  RC_ASSERT(mean_below(parts, threshold) <= below * (1 + 1e-10) + 1e-300);
}

// Of rare samples of Gaussians a sum of deltas is what all but a millionth comes from, which took meshes of millions of
// points that showed it from above alone, and 17,000 times too large.
TEST(RareLoss, DecidesAboutRareSamples) {
  const double rate = 4.508e-10;
  const double rounds = 14613;
  const double epsilon = 0.0396563;
  const double inside = std::log1p(std::expm1(epsilon) / rate);
  const double delta = rounds * rate * std::exp(profile::gaussian_log_delta(inside, 1));
  Accountant accountant(parse_plan("14613 x wor(4.508e-10, gaussian(1)) under replace_one"), 1e-3);
  const DeltaBound found = accountant.delta(1, epsilon);
  EXPECT_LE(found.bound.lower, delta);
  EXPECT_GE(found.bound.lower, delta * 0.99);
  EXPECT_GE(found.bound.upper, delta * (1 - 1e-6));
  EXPECT_LE(found.bound.upper, delta * 1.003);
  const Bound inverse = accountant.epsilon(1, delta);
  EXPECT_LE(inverse.lower, epsilon * (1 + 1e-9));
  EXPECT_GE(inverse.lower, epsilon * (1 - 1e-3));
  EXPECT_GE(inverse.upper, epsilon * (1 - 1e-9));
  EXPECT_LE(inverse.upper, epsilon * (1 + 1e-3));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
