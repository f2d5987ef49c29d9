#include "dpbudget/accounting/loss_distribution/releases/shuffled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "accounting/random_event.h"
#include "accounting/shuffle/brute_force.h"
#include "accounting/shuffle/third_values.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/pieces/loss_cells.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/loss_distribution/releases/shuffled_zeros.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/shuffle/clones/silos.h"
#include "dpbudget/accounting/shuffle/clones/stronger_clones.h"
#include "dpbudget/accounting/shuffle/local.h"
#include "mechanisms/refused.h"

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

// accounting/shuffle/proofs.md, 1.6
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

// accounting/shuffle/proofs.md, 4.2
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

// The delta of two of them by enumeration: all pairs of histograms, for each pair of neighbours.
double worst_of_two(const std::vector<dpbudget::testing::Law>& rows, int reports, double epsilon) {
  double worst = 0;
  std::vector<std::size_t> others(static_cast<std::size_t>(reports - 1), 0);
  const auto laws_with = [&](std::size_t value) {
    std::vector<dpbudget::testing::Law> users{rows[value]};
    for (const std::size_t other : others) users.push_back(rows[other]);
    return dpbudget::testing::shuffled(users);
  };
  const auto each = [&](const auto& self, std::size_t at) -> void {
    if (at < others.size()) {
      for (others[at] = at > 0 ? others[at - 1] : 0; others[at] < rows.size(); ++others[at]) self(self, at + 1);
      return;
    }
    // By symmetry the changed record holds 0, and 1 in the other data set.
    const auto p = laws_with(0);
    const auto q = laws_with(1);
    double delta = 0;
    for (const auto& [a, pa] : p)
      for (const auto& [b, pb] : p) delta += std::max(0.0, pa * pb - std::exp(epsilon) * q.at(a) * q.at(b));
    worst = std::max(worst, delta);
  };
  each(each, 0);
  return worst;
}

RC_GTEST_PROP(ShuffledPlans, OfTwoCategoricalResponsesAreAboveTheWorstNeighbours, ()) {
  const double local_epsilon = log_uniform(0.1, 3);
  const auto categories = static_cast<std::size_t>(*rc::gen::inRange(3, 5));
  const int reports = *rc::gen::inRange(2, 6);
  const double epsilon = 2 * local_epsilon * log_uniform(0.02, 0.7);
  const Shuffled shuffled{static_cast<std::uint64_t>(reports), Event(RandomizedResponse{local_epsilon, categories})};
  RC_PRE(shuffle::blanket_of(shuffled).has_value());
  const double truth = worst_of_two(dpbudget::testing::response_rows(local_epsilon, categories), reports, epsilon);
  RC_PRE(truth > 1e-12);
  const Bound bound = Accountant({shuffled, Adjacency::replace_one}, 1e-2).delta(2, epsilon).bound;
  RC_ASSERT(bound.upper >= truth * (1 - 1e-9));
  RC_ASSERT(bound.lower <= truth * (1 + 1e-9));
}

// By clones alone the ends were 20 and 170 percent apart.
TEST(ShuffledPlans, OfCategoricalResponsesAreKnownClosely) {
  for (const char* plan : {"2 x shuffle(100000, rr(1, 3))", "100 x shuffle(100000, rr(1, 10))"}) {
    const Bound bound = Accountant(parse_plan(plan), 1e-3).epsilon(1, 1e-6);
    EXPECT_LE(bound.upper - bound.lower, 2e-3 * bound.upper) << plan;
    EXPECT_NE(joined(bound.theorems).find("privacy blanket"), std::string::npos) << plan;
  }
  // Among fewer than one report from the blanket, and for binary responses, clones are as good.
  for (const char* plan : {"2 x shuffle(100, rr(15, 3))", "2 x shuffle(100, rr(1))", "2 x shuffle(100, rr(1, 3), 2)"}) {
    const Bound bound = Accountant(parse_plan(plan), 0.5).epsilon(1, 1e-6);
    EXPECT_EQ(joined(bound.theorems).find("privacy blanket"), std::string::npos) << plan;
  }
}

// Neighbours under sampling without replacement: every data set of the others, and every sample.
double worst_of_samples(const std::vector<dpbudget::testing::Law>& rows, std::size_t drawn, std::size_t population,
                        double epsilon) {
  using dpbudget::testing::Histogram;
  using Laws = std::map<Histogram, double>;
  // The law of the reports of a sample of `values`, the sum over all subsets.
  const auto sampled = [&](const std::vector<std::size_t>& values) {
    Laws sum;
    double samples = 0;
    for (unsigned subset = 0; subset < 1U << population; ++subset) {
      if (static_cast<std::size_t>(std::popcount(subset)) != drawn) continue;
      std::vector<dpbudget::testing::Law> users;
      for (std::size_t i = 0; i < population; ++i)
        if ((subset >> i & 1U) != 0) users.push_back(rows[values[i]]);
      for (const auto& [histogram, probability] : dpbudget::testing::shuffled(users)) sum[histogram] += probability;
      ++samples;
    }
    for (auto& [histogram, probability] : sum) probability /= samples;
    return sum;
  };
  double worst = 0;
  std::vector<std::size_t> values(population, 0);
  const auto each = [&](const auto& self, std::size_t at) -> void {
    if (at < population) {
      for (values[at] = at > 1 ? values[at - 1] : 0; values[at] < rows.size(); ++values[at]) self(self, at + 1);
      return;
    }
    // By symmetry the changed record holds 0, and 1 in the other data set.
    std::vector<std::size_t> first = values;
    std::vector<std::size_t> second = values;
    first[0] = 0;
    second[0] = 1;
    worst = std::max(worst, dpbudget::testing::divergence(sampled(first), sampled(second), epsilon));
  };
  each(each, 1);
  return worst;
}

Bound delta_of(const std::string& plan, double epsilon) {
  return Accountant(parse_plan(plan + " under replace_one"), 1e-3).delta(1, epsilon).bound;
}

RC_GTEST_PROP(ShuffledPlans, BracketTheWorstNeighboursOfSamples, ()) {
  const double local_epsilon = log_uniform(0.1, 12);
  const auto categories = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  const auto drawn = static_cast<std::size_t>(*rc::gen::inRange(1, categories == 2 ? 5 : 4));
  const auto population = drawn + static_cast<std::size_t>(*rc::gen::inRange(0, categories == 2 ? 4 : 3));
  const double epsilon = local_epsilon * log_uniform(0.05, 0.95);
  const double truth =
      worst_of_samples(dpbudget::testing::response_rows(local_epsilon, categories), drawn, population, epsilon);
  const Event shuffled = Shuffled{drawn, Event(RandomizedResponse{local_epsilon, categories})};
  Accountant accountant({SampledWithoutReplacement{Rate(drawn, population), shuffled}, Adjacency::replace_one}, 1e-3);
  const Bound bound = accountant.delta(1, epsilon).bound;
  RC_ASSERT(bound.lower <= truth * (1 + 1e-9) + 1e-15);
  RC_ASSERT(bound.upper >= truth * (1 - 1e-9) - 1e-15);
  if (categories == 2 && truth > 1e-9) RC_ASSERT(bound.lower > 0);
}

// The others of the worst known neighbours hold a third value, which a sample without the changed record shows.
TEST(ShuffledPlans, OfSamplesCountThirdValuesAsNothing) {
  const double truth =
      worst_of_samples(dpbudget::testing::response_rows(2.751480176316173, 3), 3, 6, 1.9764404188505922);
  const Bound bound = delta_of("wor(3 of 6, shuffle(3, rr(2.751480176316173, 3)))", 1.9764404188505922);
  EXPECT_LE(bound.lower, truth);
  EXPECT_GE(bound.upper, truth);
  // Also inside of a composition; without sampling they count.
  EXPECT_EQ(delta_of("wor(3 of 6, 2 x shuffle(3, rr(2.75, 3)))", 1.9).lower, 0);
  EXPECT_GT(delta_of("wor(6 of 6, shuffle(3, rr(2.75, 3)))", 1.9).lower, 0);
  EXPECT_GT(delta_of("wor(3 of 6, shuffle(3, pure(2.75)))", 1.9).lower, 0);
}

// Next to the local epsilon a lower end that loses digits is above the truth.
RC_GTEST_PROP(ShuffledPlans, KeepDigitsNextToTheLocalEpsilon, ()) {
  const double local_epsilon = log_uniform(5, 40);
  const auto categories = static_cast<std::uint64_t>(*rc::gen::inRange(3, 6));
  const int reports = *rc::gen::inRange(1, 4);
  const double epsilon = local_epsilon - log_uniform(1e-3, 4);
  const double truth = std::exp(dpbudget::testing::third_values_log_delta(local_epsilon, categories, reports, epsilon));
  const Plan plan{Shuffled{static_cast<std::uint64_t>(reports), Event(RandomizedResponse{local_epsilon, categories})},
                  Adjacency::replace_one};
  const Bound bound = Accountant(plan, 1e-3).delta(1, epsilon).bound;
  RC_ASSERT(bound.lower <= truth * (1 + 1e-13));
  RC_ASSERT(bound.upper >= truth * (1 - 1e-13));
}

TEST(ShuffledPlans, KeepDigitsWhereTheyWereLost) {
  const auto expect_bracket = [](double local_epsilon, std::uint64_t categories, int reports, double epsilon) {
    const double truth =
        std::exp(dpbudget::testing::third_values_log_delta(local_epsilon, categories, reports, epsilon));
    const Bound bound = delta_of(fmt::format("shuffle({}, rr({}, {}))", reports, local_epsilon, categories), epsilon);
    EXPECT_LE(bound.lower, truth * (1 + 1e-13));
    EXPECT_GE(bound.lower, truth * 0.999);
    EXPECT_GE(bound.upper, truth * (1 - 1e-13));
  };
  expect_bracket(19.507436996955278, 3, 2, 17.846081815762822);
  expect_bracket(31.11772991478865, 4, 1, 31.078948409567833);
}

TEST(ShuffledPlans, OfAnyLocalEpsilonAreAnswered) {
  for (const std::string local : {"pure(35)", "rr(40)", "rr(40, 3)", "pure(50)", "pure(600)", "pure(710)", "rr(1000)"})
    for (const std::string reports : {"1", "5", "1000"}) {
      const std::string plan = "shuffle(" + reports + ", " + local + ") under replace_one";
      const double most = std::stod(local.substr(local.find('(') + 1));
      const Bound bound = Accountant(parse_plan(plan), 1e-3).epsilon(1, 1e-6);
      EXPECT_GE(bound.upper, most * 0.999) << plan;
      EXPECT_LE(bound.upper, most * 1.001) << plan;
      EXPECT_LE(bound.lower, bound.upper) << plan;
      EXPECT_LE(make_accountant(AccountantName::best, parse_plan(plan)).value()->epsilon(1, 1e-6).value().upper, most)
          << plan;
    }
}

TEST(ShuffledPlans, OfAnApproximateGuaranteeThatNeverFailsAreThoseOfAPureOne) {
  EXPECT_EQ(delta_of("shuffle(10, approximate(1, 0))", 0.5).upper, delta_of("shuffle(10, pure(1))", 0.5).upper);
  EXPECT_EQ(delta_of("shuffle(10, approximate(1, 0))", 0.5).lower, delta_of("shuffle(10, pure(1))", 0.5).lower);
}

TEST(LossCells, RefuseLossesBeyondADouble) {
  LossCells cells = LossCells::of_outcomes();
  EXPECT_REFUSED("an outcome's loss", cells.add(std::log(0.0), 0.5, 0.5));
  EXPECT_REFUSED("largest", LossCells(std::nan(""), {1, 1e-3}, [](double) { return 0.0; }));
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
          .value()
          ->epsilon(1, 1e-6)
          .value()
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
  EXPECT_NEAR(bound.upper, 3.741, 0.005);
  EXPECT_GT(bound.lower, 3.71);
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
  refused("shuffle(9007199254740992, pure(8)) under replace_one", "clones");
  refused("shuffle(100, rr(1)) under add_or_remove_one", "replace_one");
}

// What hides among third values has cells as wide as a power of two, which meshes near each other share.
TEST(HiddenPair, HasTheSameCellsForMeshesNearEachOther) {
  const Plan plan = parse_plan("shuffle(5000, rr(1, 3)) under replace_one");
  const auto ends = [&](double step) {
    std::vector<double> found;
    const Cut cut{step, 1e-12};
    const auto pieces = release_pieces(plan.event, plan.adjacency, Side::lower, Pair::attained, cut);
    for (const Piece& piece : pieces->pieces) found.push_back(piece.low);
    return found;
  };
  const std::vector<double> cells = ends(0x1p-12);
  EXPECT_GT(cells.size(), 100U);
  EXPECT_EQ(ends(0x1.8p-12), cells);
  EXPECT_NE(ends(0x1.fp-13), cells);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
