#include "dpbudget/accounting/loss_distribution/releases/finite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/random_event.h"
#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/pieces/spread.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/loss_distribution/whole.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using testing::log_uniform;
using testing::Outcomes;

Pieces pieces_of(const Outcomes& outcomes) {
  return tradeoff::PiecewiseLinear::from_outcomes(outcomes)->losses({}, Side::upper);
}

// Every outcome with a finite loss belongs to a piece; together they are its masses and its barycentre, up to the
// errors that are stated. Outcomes are (p, q) with q the numerator of the loss, as trade-off functions have it.
void expect_to_hold(const Pieces& pieces, const Outcomes& all) {
  struct Sum {
    long double p = 0;
    long double q = 0;
  };
  const PieceErrors& errors = pieces.errors;
  RC_ASSERT(errors.mass >= 0 && errors.infinity >= 0 && errors.barycentre >= 0 && errors.loss >= 0);
  RC_ASSERT(errors.mass < 1e-12 && errors.infinity < 1e-12 && errors.barycentre < 1e-11 && errors.loss < 1e-11);
  std::vector<Sum> sums(pieces.pieces.size());
  Sum infinite;
  for (const auto& [q, p] : all) {
    if (p == 0 || q == 0) {
      infinite.p += q == 0 ? p : 0;
      infinite.q += p == 0 ? q : 0;
      continue;
    }
    const double loss = std::log(p) - std::log(q);
    const auto nearest = std::ranges::min_element(
        pieces.pieces, {}, [&](const Piece& piece) { return std::max({0.0, piece.low - loss, loss - piece.high}); });
    RC_ASSERT(loss >= nearest->low - errors.loss && loss <= nearest->high + errors.loss);
    Sum& sum = sums[static_cast<std::size_t>(nearest - pieces.pieces.begin())];
    sum.p += p;
    sum.q += q;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Piece& piece = pieces.pieces[i];
    RC_ASSERT(std::abs(piece.p - sums[i].p) <= errors.mass * piece.p + 1e-14L * sums[i].p);
    RC_ASSERT(std::abs(piece.q - sums[i].q) <= errors.mass * piece.q + 1e-14L * sums[i].q);
    RC_ASSERT(std::abs(piece.barycentre - std::log(sums[i].p / sums[i].q)) <= errors.barycentre);
    if (i > 0) RC_ASSERT(pieces.pieces[i - 1].high <= piece.low);
  }
  RC_ASSERT(std::abs(pieces.p_at_infinity - infinite.p) <= errors.infinity + 1e-14);
  RC_ASSERT(std::abs(pieces.q_at_infinity - infinite.q) <= errors.infinity + 1e-14);
}

// accounting/loss_distribution/proofs.md, 4b.1
RC_GTEST_PROP(Finite, ProductsAreThoseOfAllOutcomes, ()) {
  const Outcomes a = testing::random_outcomes(6);
  const Outcomes b = testing::random_outcomes(6);
  const Pieces together = product(pieces_of(a), pieces_of(b));
  expect_to_hold(together, testing::product_of(a, b));
  expect_to_hold(product(together, pieces_of(a)), testing::product_of(testing::product_of(a, b), a));
}

// Of more than eight of several outcomes masses are multinomial, of fewer they are multiplied one by one.
// accounting/loss_distribution/proofs.md, 4b.2
RC_GTEST_PROP(Finite, PowersOfSeveralOutcomesAreProductsOfSmallerOnes, ()) {
  constexpr FiniteLimits limits{1 << 20, 1e8};
  const Pieces once = pieces_of(testing::random_outcomes(5));
  const auto rest = static_cast<std::uint64_t>(*rc::gen::inRange(1, 9));
  const auto found = power(once, 8 + rest, limits);
  const auto expected = product(*power(once, 8, limits), *power(once, rest, limits), limits);
  RC_ASSERT(found.has_value() && expected.has_value());
  RC_CLASSIFY(once.pieces.size() > 2 && found->errors.mass != expected->errors.mass, "multinomial");
  RC_ASSERT(found->errors.mass < 1e-11);
  RC_ASSERT(std::abs(found->p_at_infinity - expected->p_at_infinity) <= found->errors.infinity + 1e-13);
  // Sums that are equal but for rounding may be joined by the one and not by the other.
  double above_found = 0;
  double above_expected = 0;
  std::size_t i = found->pieces.size();
  std::size_t j = expected->pieces.size();
  const double gap = found->errors.loss + expected->errors.loss + 1e-9;
  while (i > 0) {
    const Piece& piece = found->pieces[--i];
    above_found += piece.p;
    while (j > 0 && expected->pieces[j - 1].low > piece.low - gap) above_expected += expected->pieces[--j].p;
    const bool is_apart = i == 0 || found->pieces[i - 1].high < piece.low - 2 * gap;
    if (is_apart) RC_ASSERT(std::abs(above_found - above_expected) <= 1e-11 * above_expected + 1e-290);
  }
  RC_ASSERT(j == 0);
}

// What is above a loss, and what is left out at most.
// accounting/loss_distribution/proofs.md, 4b.2
RC_GTEST_PROP(Finite, RareOutcomesAreLeftOutAndCounted, ()) {
  const double rare = log_uniform(1e-9, 1e-2);
  const Pieces once = pieces_of(testing::random_outcomes(5));
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(9, 16));
  const auto all = power(once, count, {1 << 20, 1e8});
  const auto counted = power(once, count, {1 << 20, 1e8, rare});
  RC_ASSERT(all.has_value() && counted.has_value());
  for (const Pieces& left : {*counted, without_rare(*all, rare), without_rare(*counted, rare)}) {
    RC_CLASSIFY(left.p_above > 0, "something left out");
    RC_ASSERT(left.p_above <= 1e6 * rare);
    const double gap = all->errors.loss + left.errors.loss + 1e-9;
    const auto sum_of = [](const Pieces& pieces, double Piece::* mass, double from, double to) {
      double sum = 0;
      for (const Piece& piece : pieces.pieces)
        if (from < piece.low && piece.low <= to) sum += piece.*mass;
      return sum;
    };
    for (const Piece& at : all->pieces) {
      const double x = at.low;
      RC_ASSERT(sum_of(left, &Piece::p, x + gap, infinity) <= sum_of(*all, &Piece::p, x - gap, infinity) * (1 + 1e-10));
      RC_ASSERT(sum_of(left, &Piece::q, -infinity, x - gap) <=
                sum_of(*all, &Piece::q, -infinity, x + gap) * (1 + 1e-10));
      RC_ASSERT(sum_of(*all, &Piece::p, x + gap, infinity) <=
                sum_of(left, &Piece::p, x - gap, infinity) * (1 + 1e-10) + left.p_above);
      RC_ASSERT(sum_of(*all, &Piece::q, -infinity, x - gap) <=
                sum_of(left, &Piece::q, -infinity, x + gap) * (1 + 1e-10) + left.q_below);
    }
  }
}

// Steps of which a double does not hold e to the power made masses that were no numbers.
// accounting/loss_distribution/proofs.md, 4b.6
TEST(Finite, SpreadAtomsKeepTheirMasses) {
  for (const double step : {0x1p-30, 0x1p-4, 1.0, 0x1p13}) {
    for (const double loss : {-5e4 - 1.0 / 3, -1e-9, 3e-7, 0.3, 300.1}) {
      const double p = loss > 0 ? 0.25 : 0.25 * std::exp(loss);
      const double q = loss > 0 ? 0.25 * std::exp(-loss) : 0.25;
      const Pieces moved = spread({.pieces = {{loss, loss, p, q, loss}}, .errors = {}}, step);
      ASSERT_EQ(moved.pieces.size(), 2) << step << ' ' << loss;
      EXPECT_LT(moved.pieces[0].low, loss);
      EXPECT_GT(moved.pieces[1].low, loss);
      EXPECT_EQ(moved.pieces[1].low - moved.pieces[0].low, step);
      EXPECT_NEAR(moved.pieces[0].p + moved.pieces[1].p, p, moved.errors.mass * p) << step << ' ' << loss;
      EXPECT_NEAR(moved.pieces[0].q + moved.pieces[1].q, q, moved.errors.mass * q) << step << ' ' << loss;
    }
  }
}

// Of a distribution on one side of the truth, as an answer has it.
double delta_of(const Pieces& pieces, Side side, double epsilon) {
  const bool is_upper = side == Side::upper;
  double delta = pieces.p_at_infinity + (is_upper ? pieces.p_above : 0);
  for (const Piece& piece : pieces.pieces) {
    const double loss = is_upper ? piece.high + pieces.errors.loss : piece.barycentre - pieces.errors.barycentre;
    if (loss > epsilon) delta += piece.p * -std::expm1(epsilon - loss);
  }
  return delta;
}

// accounting/loss_distribution/proofs.md, 4b.6
RC_GTEST_PROP(Finite, LossesTakenForOneAreOnEitherSide, ()) {
  const double width = std::exp2(-*rc::gen::inRange(2, 16));
  const double rare = *rc::gen::arbitrary<bool>() ? log_uniform(1e-15, 1e-9) : 0;
  const Pieces once = pieces_of(testing::random_outcomes(5));
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(1, 25));
  const auto exact = power(once, count, {1 << 20, 1e8});
  const auto above = power(spread(once, width), count, {1 << 20, 1e8, rare});
  const auto below = power(once, count, {1 << 20, 1e8, rare, width});
  RC_ASSERT(exact.has_value() && below.has_value());
  if (!above) RC_DISCARD("too many multiples");
  for (const Piece& piece : above->pieces) RC_ASSERT(std::remainder(piece.low, width) == 0.0);
  RC_ASSERT(std::ranges::is_sorted(below->pieces, {}, &Piece::low));
  RC_CLASSIFY(below->pieces.size() < exact->pieces.size(), "fewer");
  for (const bool is_reversed : {false, true}) {
    const auto turned = [&](const Pieces& pieces) { return is_reversed ? reversed(pieces) : pieces; };
    for (const double epsilon : {-1.0, 0.0, log_uniform(1e-3, 1), log_uniform(0.1, 10)}) {
      const double truth = delta_of(turned(*exact), Side::lower, epsilon);
      const double slack = 1e-9 * truth + 1e-12;
      RC_ASSERT(delta_of(turned(*above), Side::upper, epsilon) >= truth - slack);
      RC_ASSERT(delta_of(turned(*below), Side::lower, epsilon) <= truth + slack);
      // A share of the losses' width at most, and of what is left out.
      const auto n = static_cast<double>(count);
      RC_ASSERT(delta_of(turned(*above), Side::upper, epsilon) <=
                truth + n * width * std::exp(n * width) + 1e6 * rare + slack);
      RC_ASSERT(delta_of(turned(*below), Side::lower, epsilon) >= truth - n * width - 1e6 * rare - slack);
    }
  }
}

TEST(Finite, PowersOfThreeOutcomesAreMultinomial) {
  // Counts (i, j, k) of ten draws of masses 0.5, 0.3, 0.2 under P, whose losses have no two equal sums.
  Pieces once{.pieces = {{-1, -1, 0.5, 0.5 * std::exp(1), -1},
                         {std::sqrt(2) - 1, std::sqrt(2) - 1, 0.3, 0.3 * std::exp(1 - std::sqrt(2)), std::sqrt(2) - 1},
                         {2.3, 2.3, 0.2, 0.2 * std::exp(-2.3), 2.3}},
              .errors = {}};
  const auto found = power(once, 10, {1 << 10, 1e6});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->pieces.size(), 66U);
  EXPECT_NEAR(found->pieces.front().p, std::pow(0.5, 10), 1e-15);
  EXPECT_NEAR(found->pieces.back().p, std::pow(0.2, 10), 1e-19);
  const double at = -5 + 3 * (std::sqrt(2) - 1) + 2 * 2.3;  // (5, 3, 2): 10! / (5! 3! 2!) = 2520
  const auto middle =
      std::ranges::find_if(found->pieces, [&](const Piece& one) { return std::abs(one.low - at) < 1e-9; });
  ASSERT_NE(middle, found->pieces.end());
  EXPECT_NEAR(middle->p, 2520 * std::pow(0.5, 5) * std::pow(0.3, 3) * std::pow(0.2, 2), 1e-14);
  EXPECT_NEAR(middle->q, middle->p * std::exp(-at), 1e-13);
}

// accounting/loss_distribution/proofs.md, 4b.2
RC_GTEST_PROP(Finite, PowersAreThoseOfAllOutcomes, ()) {
  const Outcomes once = testing::random_outcomes(4);
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(1, 5));
  Outcomes all = {{1, 1}};
  for (std::uint64_t i = 0; i < count; ++i) all = testing::product_of(all, once);
  const auto found = power(pieces_of(once), count, {1000, 1e6});
  RC_ASSERT(found.has_value());
  expect_to_hold(*found, all);
}

TEST(Finite, EqualSumsOfLossesAreOnePiece) {
  const Pieces response = pieces_of({{0.25, 0.75}, {0.75, 0.25}});
  const auto hundred = power(response, 100, {101, 1e6});
  ASSERT_TRUE(hundred);
  EXPECT_EQ(hundred->pieces.size(), 101);
  EXPECT_LT(hundred->errors.barycentre, 1e-9);
  double p = 0;
  for (const Piece& piece : hundred->pieces) p += piece.p;
  EXPECT_NEAR(p, 1, 1e-12);
}

TEST(Finite, PowersOfSeveralOutcomesKeepToTheirLimit) {
  const Pieces once = pieces_of({{0.5, 0.2}, {0.3, 0.1}, {0.2, 0.7}});
  EXPECT_EQ(power(once, 40, {861, 1e9})->pieces.size(), 861U);  // 42 over 2
  EXPECT_FALSE(power(once, 40, {860, 1e9}));
  const std::size_t without = power(once, 40, {1 << 20, 1e9, 1e-9})->pieces.size();
  EXPECT_LT(without, 861U);
  EXPECT_EQ(power(once, 40, {4 * without + 4, 1e9, 1e-9})->pieces.size(), without);
  EXPECT_FALSE(power(once, 40, {without, 1e9, 1e-9}));
}

TEST(Finite, PowersOfTooManyPiecesAreNotMade) {
  const Pieces response = pieces_of({{0.25, 0.75}, {0.75, 0.25}});
  EXPECT_EQ(power(response, 0, {10, 1e6})->pieces.size(), 1);
  EXPECT_FALSE(power(response, 11, {10, 1e6}));
  EXPECT_FALSE(power(response, 10, {10, 1e6}));
  EXPECT_TRUE(power(response, 9, {10, 1e6}));
  EXPECT_FALSE(power(response, 1, {1, 1e6}));
  EXPECT_FALSE(power(response, 9, {10, 80}));
  EXPECT_FALSE(power(one_atom(), 1000, {10, 999}));
  EXPECT_FALSE(product(response, response, {10, 3}));
  EXPECT_FALSE(product(response, response, {2, 4}));
  EXPECT_EQ(product(response, response, {3, 4})->pieces.size(), 3);
}

RC_GTEST_PROP(Finite, ManyPiecesTimesManyAreThoseOfAllOutcomes, ()) {
  const Outcomes a = testing::random_outcomes(30);
  const Outcomes b = testing::random_outcomes(30);
  expect_to_hold(product(pieces_of(a), pieces_of(b)), testing::product_of(a, b));
}

// By the binomial law, against factors one by one.
// accounting/loss_distribution/proofs.md, 4b.2
TEST(Finite, LongPowersOfTwoOutcomesAreThoseOfTheirFactors) {
  const Pieces base = pieces_of({{0.2, 0.7}, {0.75, 0.3}, {0.05, 0}});
  const auto half = power(base, 150, {301, 1e6});
  const auto whole = power(base, 300, {301, 1e6});
  ASSERT_TRUE(half && whole);
  const Pieces factors = product(*half, *half);
  ASSERT_EQ(whole->pieces.size(), 301);
  ASSERT_EQ(factors.pieces.size(), 301);
  EXPECT_LT(whole->errors.mass, 1e-8);
  EXPECT_NEAR(whole->p_at_infinity, factors.p_at_infinity, 1e-12);
  EXPECT_NEAR(whole->q_at_infinity, factors.q_at_infinity, 1e-12);
  for (std::size_t i = 0; i < 301; ++i) {
    const Piece& a = whole->pieces[i];
    const Piece& b = factors.pieces[i];
    const double errors = whole->errors.mass + factors.errors.mass;
    EXPECT_NEAR(a.p, b.p, errors * b.p + least_mass) << i;
    EXPECT_NEAR(a.q, b.q, errors * b.q + least_mass) << i;
    EXPECT_NEAR(a.barycentre, b.barycentre, whole->errors.barycentre + factors.errors.barycentre) << i;
    EXPECT_NEAR(a.low, b.low, whole->errors.loss + factors.errors.loss) << i;
    EXPECT_NEAR(a.p, b.p, 1e-11 * b.p + least_mass) << i;
  }
}

// accounting/loss_distribution/proofs.md, 4b.3
TEST(Finite, ParticipationIsSeen) {
  const Pieces round = participating(pieces_of({{0.25, 0.75}, {0.75, 0.25}}), 0.1);
  ASSERT_EQ(round.pieces.size(), 3);
  EXPECT_EQ(round.pieces[1].low, 0);
  EXPECT_DOUBLE_EQ(round.pieces[1].p, 0.9);
  EXPECT_DOUBLE_EQ(round.pieces[2].p, 0.075);
}

TEST(Finite, ContinuousReleasesAreNot) {
  EXPECT_TRUE(is_finite(pieces_of({{0.25, 0.75}, {0.75, 0.25}})));
  EXPECT_FALSE(is_finite(gaussian_pieces(1, {0.1, 1e-9})));
}

// A plan of releases with two outcomes of finite loss each, and what of P is at infinite loss.
struct MixedPlan {
  std::string text;
  Outcomes finite = {{1, 1}};  // (q, p) of all 2^n together
  Outcomes whole = {{1, 1}};   // with an outcome each for what gives everything away
};

void add(MixedPlan& plan, const std::string& release, const Outcomes& finite) {
  plan.text += (plan.text.empty() ? "" : " + ") + release;
  plan.finite = testing::product_of(plan.finite, finite);
}

// approximate(e_i, d_i) and randomised responses in Poisson samples, all different.
MixedPlan random_plan(int releases) {
  MixedPlan plan;
  for (int i = 0; i < releases; ++i) {
    const double epsilon = log_uniform(0.01, 0.6);
    const double truth = 1 / (1 + std::exp(-epsilon));
    if (*rc::gen::inRange(0, 3) == 0) {
      const double rate = log_uniform(0.01, 1);
      add(plan, fmt::format("poisson({}, rr({}))", rate, epsilon),
          {{1 - truth, rate * truth + (1 - rate) * (1 - truth)}, {truth, rate * (1 - truth) + (1 - rate) * truth}});
    } else {
      const double delta = log_uniform(1e-7, 1e-2);
      add(plan, fmt::format("approximate({}, {})", epsilon, delta),
          {{(1 - delta) * (1 - truth), (1 - delta) * truth}, {(1 - delta) * truth, (1 - delta) * (1 - truth)}});
    }
  }
  long double p = 1;
  long double q = 1;
  plan.whole = plan.finite;
  for (const auto& outcome : plan.finite) {
    p -= outcome.p;
    q -= outcome.q;
  }
  plan.whole.push_back({0, std::max(0.0, static_cast<double>(q))});
  plan.whole.push_back({std::max(0.0, static_cast<double>(p)), 0});
  return plan;
}

double delta_of(const MixedPlan& plan, double epsilon) {
  Outcomes reversed;
  for (const auto& [p, q] : plan.whole) reversed.push_back({q, p});
  return std::max(testing::delta_of(plan.whole, epsilon), testing::delta_of(reversed, epsilon));
}

void expect_bracketed(const MixedPlan& plan, double epsilon, double tolerance) {
  const DeltaBound found = Accountant(parse_plan(plan.text), tolerance).delta(1, epsilon);
  const double truth = delta_of(plan, epsilon);
  RC_LOG() << plan.text << " at " << epsilon << ": " << found.bound.lower << " <= " << truth
           << " <= " << found.bound.upper;
  RC_ASSERT(found.bound.lower <= truth + 1e-15);
  RC_ASSERT(found.bound.upper >= truth - 1e-15);
}

RC_GTEST_PROP(MixedFinitePlans, AreBracketed, ()) {
  expect_bracketed(random_plan(*rc::gen::inRange(2, 9)), log_uniform(0.01, 2), log_uniform(1e-3, 0.1));
}

// All 2^12 subsets.
TEST(MixedFinitePlans, OfTwelveDifferentGuaranteesAreBracketedNarrowly) {
  MixedPlan plan;
  for (int i = 1; i <= 12; ++i) {
    const double epsilon = 0.05 + 0.031 * i + 0.0007 * i * i;
    const double delta = 1e-6 * i;
    const double truth = 1 / (1 + std::exp(-epsilon));
    add(plan, fmt::format("approximate({}, {})", epsilon, delta),
        {{(1 - delta) * (1 - truth), (1 - delta) * truth}, {(1 - delta) * truth, (1 - delta) * (1 - truth)}});
  }
  long double kept = 1;
  for (const auto& outcome : plan.finite) kept -= outcome.q;
  plan.whole = plan.finite;
  plan.whole.push_back({0, static_cast<double>(kept)});
  plan.whole.push_back({static_cast<double>(kept), 0});
  for (const double epsilon : {0.0, 0.5, 1.5, 3.0}) {
    const DeltaBound found = Accountant(parse_plan(plan.text), 1e-2).delta(1, epsilon);
    const double truth = delta_of(plan, epsilon);
    EXPECT_LE(found.bound.lower, truth * (1 + 1e-12));
    EXPECT_GE(found.bound.upper, truth * (1 - 1e-12));
    EXPECT_LE(found.bound.upper - found.bound.lower, 1e-2 * found.bound.upper);
  }
}

RC_GTEST_PROP(MixedFinitePlans, HaveTheirTradeOffFunctionBetweenTheSides, ()) {
  const MixedPlan plan = random_plan(*rc::gen::inRange(2, 8));
  const auto composed = [&](Side side) {
    const PlanLosses losses(parse_plan(plan.text),
                            {side, Direction::forward, Pair::dominating, log_uniform(1e-3, 0.05), 1e-12});
    return compose_whole(losses.parts(1), 1e-12);
  };
  const LossDistribution upper = composed(Side::upper);
  const LossDistribution lower = composed(Side::lower);
  for (const double a : {0.0, 1e-4, 0.03, 0.2, 0.5, 0.9, 1.0}) {
    const double truth = testing::swept_type_two_error(plan.whole, a);
    RC_LOG() << plan.text << " at " << a << ": " << trade_off_at(upper, a) << " <= " << truth
             << " <= " << trade_off_at(lower, a) << "; ";
    RC_ASSERT(trade_off_at(upper, a) <= truth + 1e-13);
    RC_ASSERT(trade_off_at(lower, a) >= truth - 1e-13);
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
