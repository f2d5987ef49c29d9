#include "dpbudget/accounting/loss_distribution/mechanisms/shuffled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "dpbudget/accounting/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/mechanisms/shuffled_zeros.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/require.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "dpbudget/accounting/shuffle/silos.h"
#include "dpbudget/accounting/shuffle/stronger_clones.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

double mass(const Pieces& pieces, double Piece::* side) {
  double sum = 0;
  for (const Piece& piece : pieces.pieces) sum += piece.*side;
  return sum;
}

// delta at an end of cells: no piece lies on both sides of it.
double delta_at(const Pieces& pieces, double epsilon) {
  double delta = 0;
  for (const Piece& piece : pieces.pieces)
    if (piece.low >= epsilon * (1 - 1e-12)) delta += piece.p - std::exp(epsilon) * piece.q;
  return delta;
}

RC_GTEST_PROP(ShuffledPieces, HoldAllMassAndBracketTheClones, ()) {
  const double local_epsilon = log_uniform(0.01, 8);
  const double reports = std::floor(log_uniform(1, 1e5));
  const shuffle::ClonePair pair = shuffle::clones(local_epsilon, reports);
  const double deviation = 2 * std::tanh(local_epsilon / 2) / std::sqrt(pair.count.mode() + 1);
  const Cut cut{std::min(deviation, local_epsilon) / 32, 1e-14};
  const Pieces upper = clone_pieces(pair, Side::upper, cut);
  const Pieces lower = clone_pieces(pair, Side::lower, cut);
  for (const Pieces* pieces : {&upper, &lower})
    for (const auto side : {&Piece::p, &Piece::q})
      RC_ASSERT(std::abs(mass(*pieces, side) - 1) <= 1e-9 + pieces->p_above);
  for (double multiple = 1; multiple < 200; multiple *= 1.7) {
    const double epsilon = std::floor(multiple) * cut.step;
    if (epsilon >= local_epsilon) break;
    const double truth = std::exp(log_delta(pair, epsilon, {0}).middle());
    RC_ASSERT(delta_at(upper, epsilon) + upper.p_above >= truth * (1 - 1e-9) - 1e-14);
    RC_ASSERT(delta_at(lower, epsilon) <= truth * (1 + 1e-9) + 1e-14);
    RC_ASSERT(delta_at(upper, epsilon) <= truth * 1.1 + 1e-12);
    RC_ASSERT(delta_at(lower, epsilon) >= truth * 0.9 - 1e-12);
  }
}

RC_GTEST_PROP(ShuffledPieces, OfThirdValuesAreBelowTheHiddenPair, ()) {
  const double local_epsilon = log_uniform(0.05, 5);
  const double reports = std::floor(log_uniform(2, 3000));
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(3, 20));
  const shuffle::HiddenPair pair = shuffle::third_value_pair(local_epsilon, categories, reports);
  const double deviation = 2 * std::tanh(local_epsilon / 2) / std::sqrt(pair.count.mode() + 1);
  const Cut cut{std::min(deviation, local_epsilon) / 32, 1e-14};
  const Pieces pieces = hidden_pair_pieces(pair, cut);
  RC_ASSERT(std::abs(mass(pieces, &Piece::p) - 1) <= 1e-8 + pieces.p_above);
  for (double multiple = 1; multiple < 200; multiple *= 1.7) {
    const double epsilon = std::floor(multiple) * cut.step;
    if (epsilon >= local_epsilon) break;
    const double truth = std::exp(log_delta(pair, epsilon).middle());
    RC_ASSERT(delta_at(pieces, epsilon) <= truth * (1 + 1e-9) + 1e-14);
    RC_ASSERT(delta_at(pieces, epsilon) >= truth * 0.9 - 1e-12);
  }
}

RC_GTEST_PROP(ShuffledPieces, OfZerosAreTheCountOfOnes, ()) {
  const double local_epsilon = log_uniform(0.05, 6);
  const int reports = *rc::gen::inRange(1, 300);
  const Cut cut{local_epsilon / 512, 1e-14};
  const Pieces pieces = shuffled_zeros_pieces(local_epsilon, reports, cut);
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const auto others = [&](int y) { return dpbudget::testing::binomial_mass(reports - 1, 1 - likely, y); };
  RC_ASSERT(std::abs(mass(pieces, &Piece::p) - 1) <= 1e-9);
  for (const double share : {0.0, 0.125, 0.5, 0.875}) {
    const double epsilon = share * local_epsilon;
    double truth = 0;
    for (int y = 0; y <= reports; ++y) {
      const double p = likely * others(y - 1) + (1 - likely) * others(y);
      const double q = (1 - likely) * others(y - 1) + likely * others(y);
      truth += std::max(0.0, p - std::exp(epsilon) * q);
    }
    RC_ASSERT(std::abs(delta_at(pieces, epsilon) - truth) <= 1e-10 * truth + 2e-14);
  }
}

// Neighbours by enumeration, composed twice: the bracket is about the worst of them.
RC_GTEST_PROP(ShuffledPlans, BracketTheWorstNeighbours, ()) {
  const double local_epsilon = log_uniform(0.1, 3);
  const auto categories = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  const int reports = *rc::gen::inRange(1, 5);
  const double epsilon = local_epsilon * log_uniform(0.05, 0.95);
  const double truth = dpbudget::testing::worst_divergence(dpbudget::testing::response_rows(local_epsilon, categories),
                                                           reports, epsilon);
  RC_PRE(truth > 1e-12);
  const Plan plan{Shuffled{static_cast<std::uint64_t>(reports), Event(RandomizedResponse{local_epsilon, categories})},
                  Adjacency::replace_one};
  Accountant accountant(plan, 1e-3);
  const Bound bound = accountant.delta(1, epsilon).bound;
  RC_ASSERT(bound.lower <= truth * (1 + 1e-9));
  RC_ASSERT(bound.upper >= truth * (1 - 1e-9));
  RC_ASSERT(accountant.delta(2, epsilon).bound.upper >= truth * (1 - 1e-9));
}

// Corollary D.15 of Lowy and Razaviyayn by loss distributions, against one round's exact delta and its composition.
TEST(ShuffledPlans, OfSilosComposeOverRounds) {
  const auto accountant = [](const char* plan) { return Accountant(parse_plan(plan), 1e-3); };
  const double exact = std::exp(shuffle::silo_clones_log_delta(0.1, 10, 500, 0.02));
  const Bound once = accountant("shuffle(500, pure(0.1), 10) under replace_one").delta(1, 0.02).bound;
  EXPECT_GE(once.upper, exact * (1 - 1e-9));
  EXPECT_LE(once.upper, exact * 1.01);
  const double many = accountant("100 x shuffle(500, pure(0.1), 10) under replace_one").epsilon(1, 1e-6).upper;
  const double optimal =
      make_accountant(AccountantName::approximate, parse_plan("100 x shuffle(500, pure(0.1), 10) under replace_one"))
          ->epsilon(1, 1e-6)
          .upper;
  EXPECT_LT(many, 0.7 * optimal);
  EXPECT_LT(optimal, 10);  // 100 rounds of local epsilon 0.1
  EXPECT_EQ(accountant("shuffle(500, rr(0.1), 1) under replace_one").delta(1, 0.02).bound.upper,
            accountant("shuffle(500, rr(0.1)) under replace_one").delta(1, 0.02).bound.upper);
}

TEST(ShuffledPlans, ComposeWithAnythingElse) {
  const auto epsilon = [](const char* plan) {
    return Accountant(parse_plan(std::string(plan) + " under replace_one"), 1e-3).epsilon(1, 1e-6);
  };
  const Bound bound = epsilon("1000 x shuffle(10000, rr(2)) + gaussian(4)");
  EXPECT_NEAR(bound.upper, 4.988, 0.01);
  EXPECT_GT(bound.lower, 3.6);
  EXPECT_LT(bound.lower, bound.upper);
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
  // Clients sampled in front.
  EXPECT_LT(epsilon("100 x wor(0.01, shuffle(1000, rr(1)))").upper, epsilon("100 x shuffle(1000, rr(1))").upper / 20);
  // One report is not shuffled.
  EXPECT_NEAR(epsilon("3 x shuffle(1, rr(1))").upper, epsilon("3 x rr(1)").upper, 1e-3);
  EXPECT_NEAR(epsilon("3 x shuffle(1, pure(0.5))").upper, epsilon("3 x pure(0.5)").upper, 1e-3);
  EXPECT_EQ(epsilon("shuffle(100, rr(0))").upper, 0);
}

TEST(ShuffledPlans, RefuseWhatNoTheoremCovers) {
  const auto refused = [](const char* plan, std::string_view part) {
    try {
      Accountant(parse_plan(plan), 1e-3).epsilon(1, 1e-6);
      ADD_FAILURE() << plan;
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
  };
  refused("shuffle(100, gaussian(1)) under replace_one", "not epsilon-DP");
  refused("shuffle(100, approximate(1, 1e-9)) under replace_one", "not epsilon-DP");
  refused("shuffle(100, rr(1)) under add_or_remove_one", "replace_one");
}

}  // namespace
}  // namespace dpbudget::loss_distribution
