#include "dpbudget/accounting/shuffle/vector_sum/vector_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/compose.h"
#include "dpbudget/accounting/loss_distribution/discretise.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/releases/binomial_shift.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"
#include "dpbudget/accounting/shuffle/vector_sum/normal_scores.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
namespace loss = loss_distribution;

VectorSum valid() { return {.honest = 100, .bits = 400, .probability = 0.25, .granularity = 20, .dimension = 10}; }

VectorSum random_sum() {
  return {.honest = static_cast<std::uint64_t>(log_uniform(10, 1e5)),
          .bits = static_cast<std::uint64_t>(log_uniform(100, 1e5)),
          .probability = *rc::gen::inRange(50, 950) / 1e3,
          .granularity = static_cast<std::uint64_t>(log_uniform(1, 100)),
          .dimension = static_cast<std::uint64_t>(log_uniform(1, 1000))};
}

RC_GTEST_PROP(VectorSum, DeltaFallsWithNoiseAndEpsilonAndGrowsWithDimension, ()) {
  VectorSum sum = random_sum();
  sum.bits *= 100;  // with little noise, the tail that is best changes with epsilon, and with it the slope
  const double epsilon = log_uniform(0.1, 5);
  const DeltaBound delta = vector_sum_delta(sum, epsilon);
  RC_ASSERT(delta.log_lower <= delta.log_upper);
  RC_ASSERT(delta.bound.lower <= delta.bound.upper);
  VectorSum more = sum;
  more.bits = 2 * sum.bits;
  RC_PRE(delta.log_upper > -500);  // below, the noise's own tails decide
  RC_ASSERT(vector_sum_delta(more, epsilon).log_upper <= delta.log_upper + 1e-2);
  RC_ASSERT(vector_sum_delta(sum, 1.1 * epsilon).log_upper <= delta.log_upper + 1e-2);
  more = sum;
  more.dimension = 4 * sum.dimension;
  RC_ASSERT(vector_sum_delta(more, epsilon).log_upper >= delta.log_upper - 1e-2);
}

// accounting/shuffle/vector_sum/proofs.md, 5.3
TEST(VectorSum, EpsilonAndDeltaInvertEachOther) {
  for (const std::uint64_t bits : {1000U, 1000000U}) {
    for (const std::uint64_t dimension : {1U, 20U, 500U}) {
      for (const double delta : {1e-2, 1e-9}) {
        const VectorSum sum = {
            .honest = 50, .bits = bits, .probability = 0.3, .granularity = 30, .dimension = dimension};
        const Bound epsilon = vector_sum_epsilon(sum, delta);
        EXPECT_LE(epsilon.lower, epsilon.upper);
        if (epsilon.upper == 0) continue;
        EXPECT_LE(vector_sum_delta(sum, epsilon.upper).bound.upper, delta * (1 + 1e-10));
        EXPECT_GE(vector_sum_delta(sum, epsilon.upper * (1 - 1e-6)).bound.upper, delta * (1 - 1e-3));
        if (epsilon.lower == 0) continue;
        EXPECT_GE(vector_sum_delta(sum, epsilon.lower).bound.lower, delta * (1 - 1e-8));
      }
    }
  }
}

// accounting/shuffle/vector_sum/proofs.md, 3.3 and 3.4
TEST(VectorSum, IsTightWhereTheRoundingIsFine) {
  const Bound line =
      vector_sum_epsilon({.honest = 10000, .bits = 375, .probability = 0.25, .granularity = 200, .dimension = 1}, 1e-6);
  EXPECT_LT(line.upper, line.lower * (1 + 1e-8));
  const Bound space = vector_sum_epsilon(
      {.honest = 10000, .bits = 9546, .probability = 0.25, .granularity = 1000, .dimension = 1000}, 1e-6);
  EXPECT_LT(space.upper, space.lower * 1.002);
  EXPECT_EQ(space.guarantee, Guarantee::proven);
}

// Certified compositions of shifted binomials over several splits of the norm: none is above the bound for all splits.
// accounting/shuffle/vector_sum/proofs.md, 1.2
TEST(VectorSum, BoundsTheCompositionOfEverySplit) {
  const double trials = 4000;
  const double p = 0.3;
  const double epsilon = 1;
  const loss::Cut cut{1, 1e-15};
  const double mesh = 2e-3;
  for (const std::vector<double>& shifts :
       {std::vector<double>{10}, {6, 8}, {1, 7, 7, 1}, {5, 5, 5, 5}, std::vector<double>(100, 1)}) {
    for (const bool is_reversed : {false, true}) {
      std::vector<loss::LossDistribution> distributions;
      distributions.reserve(shifts.size());
      for (const double shift : shifts) {
        const loss::Pieces pieces = loss::binomial_shift_pieces(trials, p, shift, cut);
        distributions.push_back(
            loss::discretise(is_reversed ? loss::reversed(pieces) : pieces, {mesh}, loss::Side::lower));
      }
      std::vector<loss::Part> parts;
      parts.reserve(shifts.size());
      for (const loss::LossDistribution& distribution : distributions) parts.push_back({&distribution, 1});
      const loss::Focus focus = loss::focus_at_epsilon(parts, epsilon, 1e-6);
      const double lower = loss::delta_at(loss::compose_near(parts, focus, loss::setting_near(parts, focus)), epsilon);
      // All shifts have L2 norm 10: what dimension 1 and granularity 10 allow.
      const DeltaBound bound =
          vector_sum_delta({.honest = 1, .bits = 4000, .probability = p, .granularity = 10, .dimension = 1}, epsilon);
      EXPECT_LE(lower, bound.bound.upper) << shifts.size() << " coordinates";
      EXPECT_GE(lower, 0.5 * bound.bound.upper) << shifts.size() << " coordinates";
    }
  }
}

// accounting/shuffle/vector_sum/proofs.md, 3.5: the coins of who is honest hide a message, whoever tosses them.
TEST(VectorSum, IsHiddenByAllHonestCoinsAlike) {
  for (const std::uint64_t dimension : {1U, 10U}) {
    VectorSum sum = valid();
    sum.dimension = dimension;
    const DeltaBound all = vector_sum_delta(sum, 1);
    for (const std::uint64_t honest : {1U, 400U, 40000U}) {
      sum.honest = honest;
      sum.bits = 40000 / honest;
      EXPECT_EQ(vector_sum_delta(sum, 1).log_upper, all.log_upper) << honest;
      EXPECT_EQ(vector_sum_delta(sum, 1).log_lower, all.log_lower) << honest;
    }
    sum.honest -= 1;
    EXPECT_GT(vector_sum_delta(sum, 1).log_upper, all.log_upper);
  }
}

TEST(VectorSum, LeastBitsSufficeAndOneLessDoesNot) {
  for (const std::uint64_t dimension : {1, 20}) {
    VectorSum sum = valid();
    sum.dimension = dimension;
    for (const double epsilon : {0.2, 1.0, 5.0}) {
      sum.bits = vector_sum_least_bits(sum, epsilon, 1e-6);
      EXPECT_LE(vector_sum_delta(sum, epsilon).bound.upper, 1e-6);
      --sum.bits;
      EXPECT_GT(vector_sum_delta(sum, epsilon).bound.upper, 1e-6);
    }
  }
}

// Roundings of random neighbours with one U per coordinate, against the norms' distribution.
// accounting/shuffle/vector_sum/proofs.md, 3.1 and 3.2
RC_GTEST_PROP(RoundedNorms, DominateRoundedDifferences, ()) {
  const auto granularity = static_cast<std::uint64_t>(*rc::gen::inRange(1, 30));
  const auto dimension = static_cast<std::size_t>(*rc::gen::inRange(1, 12));
  const std::vector<NormShare> shares = rounded_norms(granularity, dimension, 1e-6);
  double total = 0;
  double before = 0;
  for (const auto& [norm, probability] : shares) {
    RC_ASSERT(norm >= before);
    before = norm;
    total += probability;
  }
  RC_ASSERT(std::abs(total - 1) < 1e-12);
  // All combinations of roundings of one difference of full norm.
  std::vector<double> difference(dimension);
  double squares = 0;
  for (double& d : difference) {
    d = *rc::gen::inRange(0, 1000) / 1e3;
    squares += d * d;
  }
  RC_PRE(squares > 0);
  for (double& d : difference) d *= static_cast<double>(granularity) / std::sqrt(squares) * (1 - 1e-12);
  for (const NormShare& share : shares) {
    double at_most = 0;  // probability that the norms' distribution is at most this
    for (const auto& [norm, probability] : shares)
      if (norm <= share.norm) at_most += probability;
    double rounded_at_most = 0;
    for (std::size_t ups = 0; ups < (std::size_t{1} << dimension); ++ups) {
      double probability = 1;
      double norm = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        const double fraction = difference[j] - std::floor(difference[j]);
        const bool is_up = ((ups >> j) & 1) != 0;
        probability *= is_up ? fraction : 1 - fraction;
        norm += std::pow(std::floor(difference[j]) + (is_up ? 1 : 0), 2);
      }
      if (std::sqrt(norm) <= share.norm) rounded_at_most += probability;
    }
    RC_ASSERT(rounded_at_most >= at_most - 1e-9);
  }
}

TEST(VectorSum, HoldsAtTheExtremes) {
  const VectorSum most = {.honest = std::uint64_t{1} << 26,
                          .bits = std::uint64_t{1} << 27,
                          .probability = 0.5,
                          .granularity = 1000,
                          .dimension = std::uint64_t{1} << 53};
  EXPECT_GT(vector_sum_epsilon(most, 1e-6).upper, 0);
  const DeltaBound far = vector_sum_delta(valid(), 60);
  EXPECT_LE(far.log_lower, far.log_upper);
  EXPECT_LT(far.log_upper, -500);
  EXPECT_EQ(vector_sum_epsilon(most, 0.5).lower, 0);
}

TEST(VectorSum, RefusesWhatIsOutOfRange) {
  const auto with = [](auto VectorSum::* member, auto value) {
    VectorSum sum = valid();
    sum.*member = value;
    return sum;
  };
  const std::uint64_t too_many = (std::uint64_t{1} << 53) + 1;
  for (const VectorSum& bad :
       {with(&VectorSum::honest, 0U), with(&VectorSum::honest, too_many), with(&VectorSum::bits, 0U),
        with(&VectorSum::bits, too_many / 50), with(&VectorSum::probability, 0.0), with(&VectorSum::probability, 1.0),
        with(&VectorSum::probability, nan), with(&VectorSum::granularity, 0U),
        with(&VectorSum::granularity, std::uint64_t{1} << 27), with(&VectorSum::dimension, 0U),
        with(&VectorSum::dimension, too_many)}) {
    EXPECT_THROW(vector_sum_delta(bad, 1), InvalidArgument);
    EXPECT_THROW(vector_sum_epsilon(bad, 1e-6), InvalidArgument);
  }
  EXPECT_THROW(vector_sum_least_bits(with(&VectorSum::honest, 0U), 1, 1e-6), InvalidArgument);
  for (const double bad : {-1.0, nan}) {
    EXPECT_THROW(vector_sum_delta(valid(), bad), InvalidArgument);
    EXPECT_THROW(vector_sum_epsilon(valid(), bad), InvalidArgument);
    EXPECT_THROW(vector_sum_least_bits(valid(), bad, 1e-6), InvalidArgument);
    EXPECT_THROW(vector_sum_least_bits(valid(), 1, bad), InvalidArgument);
    EXPECT_THROW(rounded_norms(10, 10, bad), InvalidArgument);
  }
  EXPECT_THROW(vector_sum_least_bits(valid(), 0, 1e-15), Unsupported);
  const VectorSum few = {.honest = 2, .bits = 5, .probability = 0.5, .granularity = 1, .dimension = 2};
  EXPECT_EQ(vector_sum_delta(few, 1).bound.upper, 1);
  EXPECT_THROW(vector_sum_epsilon(few, 1e-6), Unsupported);
}

}  // namespace
}  // namespace dpbudget::shuffle
