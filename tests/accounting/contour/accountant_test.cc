#include "dpbudget/accounting/contour/accountant.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/answer.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/accountant.h"
#include "mechanisms/refused.h"

namespace dpbudget::contour {
namespace {

using Json = nlohmann::json;
using MorePrecise = boost::multiprecision::cpp_bin_float_100;

Event release(const Json& json);

Event composition(const Json& releases) {
  std::vector<Event> parts;
  for (const Json& one : releases) parts.push_back(Repeated{one[0].get<std::uint64_t>(), release(one)});
  return compose(std::move(parts));
}

Event release(const Json& json) {
  const std::string name = json[1];
  const double number = json[2];
  if (name == "gaussian") return Gaussian{number};
  if (name == "poisson_gaussian") return PoissonSampled{number, Event(Gaussian{json[3].get<double>()})};
  return Participates{number, composition(json[3])};
}

// By stdio: libc++ has no file streams for wasm32.
std::string text_of(const char* path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), std::fclose);
  std::string text;
  for (int c = 0; file && (c = std::fgetc(file.get())) != EOF;) text += static_cast<char>(c);
  return text;
}

// accounting/contour/proofs.md, 4.2
TEST(Contour, HoldsTheValuesOfAnIndependentComputation) {
  std::istringstream file(text_of(DPBUDGET_SOURCE_DIR "/validation/contour_vectors.jsonl"));
  std::size_t checked = 0;
  for (std::string line; std::getline(file, line); ++checked) {
    const Json vector = Json::parse(line);
    // Where `add` is absent it is far below `remove`.
    double expected = std::stod(vector["remove"].get<std::string>());
    if (!vector["add"].is_null()) expected = std::max(expected, std::stod(vector["add"].get<std::string>()));
    const Plan plan{composition(vector["releases"]), Adjacency::add_or_remove_one};
    const DeltaBound found = delta(plan, vector["epsilon"]);
    EXPECT_LE(found.log_lower, expected) << line;
    EXPECT_GE(found.log_upper, expected) << line;
    EXPECT_LT(found.log_upper - found.log_lower, 1e-7) << line;
  }
  EXPECT_GE(checked, 12U);
}

// Balle, Wang 2018, Theorem 8, in 100 digits.
double log_delta_of_gaussian(double inverse_variance, double epsilon) {
  const MorePrecise mu = sqrt(MorePrecise(inverse_variance));
  const auto phi = [](const MorePrecise& x) -> MorePrecise { return boost::math::erfc(-x / sqrt(MorePrecise(2))) / 2; };
  const MorePrecise e = epsilon;
  return static_cast<double>(log(phi(mu / 2 - e / mu) - exp(e) * phi(-mu / 2 - e / mu)));
}

// accounting/contour/proofs.md, 1.1, 1.2 and 4.2
TEST(Contour, BracketsTheClosedFormOfGaussians) {
  for (const double noise : {0.05, 1.0, 30.0, 1e4})
    for (const std::uint64_t count : {1U, 10U, 100U, 10000U}) {
      const Contour contour({Gaussian{noise}, Adjacency::replace_one});
      const double v = static_cast<double>(count) / (noise * noise);
      for (const double deviations : {0.0, 1.0, 5.0, 20.0}) {
        const double epsilon = v / 2 + deviations * std::sqrt(v);
        const double expected = log_delta_of_gaussian(v, epsilon);
        const DeltaBound found = contour.delta(count, epsilon);
        const double rounding = 1e-13 * (1 + std::abs(expected));  // of `expected` and of v
        EXPECT_LE(found.log_lower, expected + rounding) << noise << ' ' << count << ' ' << epsilon;
        EXPECT_GE(found.log_upper, expected - rounding) << noise << ' ' << count << ' ' << epsilon;
        EXPECT_LT(found.log_upper - found.log_lower, 1e-8) << noise << ' ' << count << ' ' << epsilon;
      }
    }
}

struct Known {
  const char* plan;
  double delta;
  double epsilon;
};

TEST(Contour, BracketsKnownEpsilons) {
  for (const auto& [text, delta, expected] : {
           Known{"10000 x poisson(0.01, gaussian(1))", 1e-5, 6.1877123900},
           Known{"14100 x poisson(256 of 60000, gaussian(1.1))", 1e-5, 2.3851215630},
           Known{"1000000 x poisson(0.0001, gaussian(0.8))", 1e-5, 0.7082707342},
           Known{"500 x poisson(0.2, gaussian(1))", 1e-5, 38.1702472},
           Known{"1000 x poisson(0.5, gaussian(0.3))", 1e-6, 2752.72850},
           Known{"1000 x poisson(0.01, gaussian(1))", 1e-100, 29.5987116},
       }) {
    const Bound found = epsilon(parse_plan(text), delta);
    EXPECT_LE(found.lower, found.upper) << text;
    EXPECT_NEAR(found.lower, expected, 2e-8 * expected) << text;
    EXPECT_NEAR(found.upper, expected, 2e-8 * expected) << text;
    EXPECT_LT(found.upper - found.lower, 1e-9 * expected) << text;
    EXPECT_EQ(found.guarantee, Guarantee::proven);
  }
}

// accounting/contour/proofs.md, 4.3
TEST(Contour, MergesRoundsAndNodesThatMeanTheSame) {
  const double reference = epsilon(parse_plan("300 x poisson(0.06, gaussian(2))"), 1e-6).upper;
  for (const char* text :
       {"150 x (2 x poisson(0.06, gaussian(2)))", "300 x poisson(0.3, poisson(0.2, gaussian(2)))",
        "100 x poisson(0.06, gaussian(2)) + nothing + 200 x poisson(0.06, gaussian(2))",
        "300 x poisson(0.06, 4 x gaussian(4))", "participates(1, 300 x poisson(0.06, gaussian(2)))",
        "300 x poisson(0.06, gaussian(2)) + 7 x poisson(0, gaussian(1)) + participates(0, gaussian(1))",
        "300 x poisson(0.06, gaussian(2)) under zero_out_one"})
    EXPECT_NEAR(epsilon(parse_plan(text), 1e-6).upper, reference, 1e-10 * reference) << text;
}

TEST(Contour, SpendsNothingOnNothing) {
  const Contour contour(parse_plan("participates(0.5, nothing) + poisson(0, gaussian(1))"));
  EXPECT_EQ(contour.epsilon(10, 1e-5).upper, 0);
  EXPECT_EQ(contour.delta(10, 0).bound.upper, 0);
  EXPECT_EQ(Contour(parse_plan("gaussian(1)")).epsilon(0, 1e-5).upper, 0);
}

TEST(Contour, ReportsZeroWhereDeltaAloneIsEnough) {
  const Bound found = epsilon(parse_plan("gaussian(100)"), 0.01);  // total variation 0.004
  EXPECT_EQ(found.lower, 0);
  EXPECT_EQ(found.upper, 0);
}

std::string refusal(const char* text, double delta) {
  try {
    epsilon(parse_plan(text), delta);
  } catch (const Unsupported& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(Contour, RefusesByName) {
  EXPECT_EQ(refusal("99 x zcdp(0.1)", 1e-5).find("contour has no theorem for `zcdp(0.1)` under add_or_remove_one: "),
            0U);
  EXPECT_EQ(
      refusal("99 x poisson(0.1, laplace(1)) under replace_one", 1e-5)
          .find("contour has no theorem for `poisson(0.1, laplace(1))` under replace_one: under replace_one Poisson "
                "sampling is analysed for Gaussians"),
      0U);
}

TEST(Contour, LeavesToLossDistributionsWhatTheyDoBetter) {
  EXPECT_EQ(refusal("2 x laplace(3)", 1e-5), "contour converges slowly for so few releases; use loss_distribution");
  EXPECT_NE(refusal("99 x rr(0.1)", 1e-5).find("few enough to be added up"), std::string::npos);
  EXPECT_NE(refusal("99 x shuffle(1000, rr(1)) under replace_one", 1e-5).find("shuffled reports"), std::string::npos);
  EXPECT_NE(refusal("99 x poisson(0.1, random_allocation(5, laplace(9)))", 1e-5).find("random allocations"),
            std::string::npos);
}

// accounting/contour/proofs.md, 6.1
TEST(Contour, RefusesWhatDoesNotConverge) {
  // A delta that is smaller than what is at infinity.
  EXPECT_NE(refusal("100 x approximate(0.1, 1e-4) + 99 x laplace(3)", 1e-6).find("does not converge"),
            std::string::npos);
}

// What has a transform of its own and hardly decays, against loss distributions.
// accounting/contour/proofs.md, 6.1 and 2b.2
TEST(Contour, SmoothsWhatDoesNotDecay) {
  for (const char* text : {"200 x poisson(0.01, gaussian(0.7))", "10000 x poisson(0.00033, gaussian(4))"}) {
    const Bound found = epsilon(parse_plan(text), 1e-7);
    const Bound other = loss_distribution::Accountant(parse_plan(text), 1e-3).epsilon(1, 1e-7);
    EXPECT_LE(found.lower, other.upper) << text;
    EXPECT_LE(other.lower, found.upper) << text;
    EXPECT_LE(found.upper - found.lower, 1e-3 * found.upper) << text;
  }
}

// Delta is that of a rare release, far beyond what the others spend: terms are far larger than their sum. What rounding
// leaves is more than the tolerance, and less than what meshes see.
TEST(Contour, SaysWhereTheToleranceIsNotReached) {
  const Plan plan = parse_plan(
      "2 x participates(0.930263, wor(8 of 60000, 16 x gaussian(3.4126))) + 3604 x wor(5 of 60000, rr(0.0641827))");
  const Bound found = epsilon(plan, 1.32411e-10, 1e-3);
  // What loss distributions have.
  EXPECT_LE(found.lower, 0.0554243);
  EXPECT_GE(found.upper, 0.0484810);
  EXPECT_GT(found.lower, 0.0522);
  EXPECT_LT(found.upper, 0.0536);
  EXPECT_FALSE(found.is_resolved);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes.back().find("the tolerance 0.001 was not reached"), std::string::npos);
  EXPECT_TRUE(epsilon(parse_plan("1000 x poisson(0.01, gaussian(1))"), 1e-6).is_resolved);
}

// What is at infinity counts whole at every epsilon, and beside it the finite losses:
// accounting/contour/proofs.md, 7.3.
TEST(Contour, CountsWhatIsAtInfinity) {
  const Plan plan = parse_plan("100 x approximate(0.1, 1e-8) + 99 x laplace(3)");
  const double failing = -std::expm1(100 * std::log1p(-1e-8));
  for (const double epsilon : {15.0, 30.0}) {
    const DeltaBound found = delta(plan, epsilon);
    const DeltaBound grid = loss_distribution::Accountant(plan, 1e-3).delta(1, epsilon);
    EXPECT_GE(found.bound.upper, failing) << epsilon;
    EXPECT_GE(found.bound.lower, failing * (1 - 1e-9)) << epsilon;
    EXPECT_LE(found.log_lower, grid.log_upper) << epsilon;
    EXPECT_GE(found.log_upper, grid.log_lower) << epsilon;
    EXPECT_LT(found.log_upper - found.log_lower, 1e-2) << epsilon;
  }
}

// By the sum over both lattices, in 64 bits.
TEST(Contour, BracketsTheSumOverTwoLattices) {
  const Plan plan = parse_plan("12413 x rr(0.072371) + 4922 x participates(0.785819, pure(0.182134))");
  const Bound found = epsilon(plan, 1.22867e-05);
  EXPECT_LE(found.lower, 154.061155899 * (1 + 1e-10));
  EXPECT_GE(found.upper, 154.061155899 * (1 - 1e-10));
  EXPECT_LE(found.upper - found.lower, 1e-5 * 154.061155899);
  EXPECT_EQ(found.guarantee, Guarantee::proven);
}

// Newton's method loses its way in the rounding of terms that are far larger than their sum.
TEST(Contour, FindsTheRootAmongRoundings) {
  const NormalPlan plan(parse_plan("428 x participates(5 of 100, 10 x gaussian(0.0125)) under zero_out_one"));
  const Bound found = epsilon(plan, 2.5e-6, 1e-3);
  EXPECT_LE(found.lower, 1438811.71549);  // 40 digits of mpmath
  EXPECT_GE(found.upper, 1438811.71549);
  EXPECT_LT(found.upper - found.lower, 1e-3);
}

TEST(Contour, ChecksItsArguments) {
  const Contour contour(parse_plan("gaussian(1)"));
  EXPECT_THROW(contour.epsilon(1, 0), InvalidArgument);
  EXPECT_THROW(contour.epsilon(1, std::nan("")), InvalidArgument);
  EXPECT_THROW(contour.delta(1, -1), InvalidArgument);
  EXPECT_THROW(Contour({Gaussian{-1.0}, Adjacency::add_or_remove_one}), InvalidArgument);
}

// Two hundred different mixtures were cut into pieces for seconds before they were refused.
TEST(Contour, LeavesManyDifferentLawsToMeshes) {
  const auto many = [](int number) {
    std::string text = "mixture(2; 0.5:1, 0.2:2)";
    for (int i = 1; i < number; ++i) text += fmt::format(" + mixture({}; 0.5:1, 0.2:2)", 2 + 0.01 * i);
    return Contour(parse_plan("20 x (" + text + ")"), 1e-3);
  };
  EXPECT_NO_THROW(many(4).epsilon(1, 1e-6));
  EXPECT_REFUSED("contour takes longer than loss_distribution over so many different", many(200).epsilon(1, 1e-6));
}

// Rounds, and a number of them, whose losses add up to something of the order of 1: where the contour is at home.
struct Run {
  Plan round;
  std::uint64_t count;
};
Run random_run() {
  const double noise = testing::log_uniform(0.8, 100);
  const double rate = testing::log_uniform(1e-3, 1);
  const double spread = rate * std::sqrt(std::expm1(1 / noise / noise));  // of one round's loss
  const auto count =
      static_cast<std::uint64_t>(std::ceil(std::max(50 / rate, testing::log_uniform(0.1, 10) / (spread * spread))));
  Event round = PoissonSampled{rate, Event(Gaussian{noise})};
  if (*rc::gen::arbitrary<bool>()) round = Composed{{std::move(round), Gaussian{noise / rate}}};
  if (*rc::gen::arbitrary<bool>()) round = Participates{testing::log_uniform(0.3, 1), std::move(round)};
  return {{std::move(round), Adjacency::add_or_remove_one}, count};
}

RC_GTEST_PROP(ContourProperty, BracketIsNarrowAndAgreesWithRenyi, ()) {
  const auto [round, count] = random_run();
  const double delta = testing::log_uniform(1e-12, 1e-2);
  const Bound found = Contour(round).epsilon(count, delta);
  RC_ASSERT(found.lower <= found.upper);
  RC_ASSERT(found.upper - found.lower <= 1e-5 * found.upper);
  const Plan plan{Repeated{count, round.event}, round.adjacency};
  RC_ASSERT(found.lower <= renyi::epsilon(plan, delta).upper);
}

// accounting/contour/proofs.md, 5.1
RC_GTEST_PROP(ContourProperty, DeltaAndEpsilonInvertEachOther, ()) {
  const auto [round, count] = random_run();
  const double delta = testing::log_uniform(1e-12, 1e-2);
  const Contour contour(round);
  const Bound found = contour.epsilon(count, delta);
  RC_PRE(found.upper > 0);
  RC_ASSERT(contour.delta(count, found.upper).log_lower <= std::log(delta) * (1 - 1e-15));
  RC_ASSERT(contour.delta(count, found.lower).log_upper >= std::log(delta) * (1 + 1e-15));
}

RC_GTEST_PROP(ContourProperty, MoreRoundsOrSmallerDeltaSpendMore, ()) {
  const auto [round, count] = random_run();
  const double delta = testing::log_uniform(1e-12, 1e-2);
  const Contour contour(round);
  const Bound found = contour.epsilon(count, delta);
  RC_ASSERT(found.lower <= contour.epsilon(count + 1, delta).upper);
  RC_ASSERT(found.lower <= contour.epsilon(count, delta / 2).upper);
}

// Of what is sampled without replacement other data sets attain the lower end: Gaussians by their own transforms, and
// others by their loss distributions.
TEST(Contour, IsAskedForLess) {
  for (const char* text : {"wor(0.1, gaussian(2)) under replace_one", "wor(0.1, laplace(5)) under replace_one"}) {
    const Contour contour(parse_plan(text));
    constexpr std::uint64_t count = 300;
    const Bound both = contour.epsilon(count, 1e-5);
    EXPECT_GT(both.lower, 0.5 * both.upper) << text;
    const Bound above = contour.epsilon_from_above(count, 1e-5);
    EXPECT_EQ(above.lower, 0) << text;
    EXPECT_NEAR(above.upper, both.upper, 1e-3 * both.upper) << text;
    EXPECT_TRUE(above.is_resolved) << text;
    for (const double share : {0.1, 0.99, 1.0, 1.01, 10.0}) {
      const Bound beside = contour.epsilon_beside(count, 1e-5, share * both.upper);
      EXPECT_GE(beside.upper, both.lower) << text << share;
      EXPECT_NEAR(beside.upper, both.upper, 1e-3 * both.upper) << text << share;
    }
    const DeltaBound delta = contour.delta(count, 1);
    EXPECT_GT(delta.bound.lower, 0) << text;
    EXPECT_EQ(contour.delta_from_above(count, 1).bound.lower, 0) << text;
    for (const double share : {0.5, 0.999, 1.001, 2.0}) {
      const DeltaBound beside = contour.delta_beside(count, 1, share * delta.bound.upper);
      EXPECT_NEAR(beside.bound.upper, delta.bound.upper, 2e-3 * delta.bound.upper) << text << share;
      EXPECT_EQ(beside.bound.upper <= share * delta.bound.upper, share > 1) << text << share;
    }
    EXPECT_THROW(contour.epsilon_beside(count, 1e-5, -1), InvalidArgument);
    EXPECT_THROW(contour.delta_beside(count, 1, 1), InvalidArgument);
  }
  // What is attained has one pair.
  const Contour contour(parse_plan("poisson(0.1, laplace(5))"));
  EXPECT_EQ(contour.epsilon_from_above(300, 1e-5).lower, contour.epsilon(300, 1e-5).lower);
}

// Compositions of what is known by its loss distribution alone, on grids and on contours.
RC_GTEST_PROP(ContourProperty, AgreesWithLossDistributions, ()) {
  std::vector<Event> parts;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    const auto count = 49 + static_cast<std::uint64_t>(testing::log_uniform(1, 3000));
    parts.emplace_back(Repeated{count, testing::random_event(1, "poisson")});
  }
  const Plan plan{compose(std::move(parts)), Adjacency::add_or_remove_one};
  const double delta = testing::log_uniform(1e-12, 1e-2);
  const auto found = answered([&] { return epsilon(plan, delta); });
  RC_PRE(static_cast<bool>(found));
  RC_ASSERT(found->lower <= found->upper);
  const auto other = answered([&] { return loss_distribution::Accountant(plan, 1e-3).epsilon(1, delta); });
  RC_PRE(static_cast<bool>(other));
  RC_ASSERT(found->lower <= other->upper);
  RC_ASSERT(other->lower <= found->upper);
}

// Rounds that differ in noise, of Poisson samples and of samples without replacement, on grids and on contours that
// share their quadrature (accounting/contour/proofs.md, 8.1 to 8.7).
TEST(Contour, AgreesWithLossDistributionsWhereNoisesDiffer) {
  struct Rounds {
    double rate, noise, spread;
    std::uint64_t count;
    double participation;
  };
  for (const bool is_drawn : {false, true})
    for (const auto& [rate, noise, spread, count, participation] :
         {Rounds{0.01, 0.8, 0.05, 200, 1}, Rounds{0.2, 3, 0.002, 40, 1}, Rounds{0.05, 1, 0.03, 100, 0.3}}) {
      std::vector<Event> parts;
      for (int i = 0; i < (is_drawn ? 17 : 101); ++i) {
        const Event inner = Gaussian{noise * (1 + (is_drawn ? spread : spread / 6) * i)};
        const Event sample =
            is_drawn ? Event(SampledWithoutReplacement{rate, inner}) : Event(PoissonSampled{rate, inner});
        const Event round = participation == 1 ? sample : Event(Participates{participation, sample});
        parts.emplace_back(Repeated{count, round});
      }
      const Plan plan{compose(std::move(parts)), is_drawn ? Adjacency::replace_one : Adjacency::add_or_remove_one};
      const Bound found = epsilon(plan, 1e-6);
      const Bound grid = loss_distribution::Accountant(plan, 1e-2).epsilon(1, 1e-6);
      // Both upper ends are that of the dominating pair, and both lower ends that of the attained one.
      EXPECT_LE(found.lower, found.upper);
      EXPECT_LE(found.upper, grid.upper) << rate << ' ' << is_drawn;
      EXPECT_GE(found.lower, grid.lower) << rate << ' ' << is_drawn;
      if (!is_drawn) {
        EXPECT_LT(found.upper - found.lower, 1e-6 * found.upper) << rate;
      }
      EXPECT_EQ(found.guarantee, Guarantee::proven);
    }
}

// Each takes as long as a plan of its own would, where what a contour may take does not grow with them, and quadratures
// are as fine throughout as where waves turn fastest.
TEST(Contour, AnswersManyRoundsThatAllDiffer) {
  struct Rounds {
    const char* sample;
    double noise;
    double factor;
  };
  for (const auto& [sample, noise, factor] :
       {Rounds{"wor(2 of 1000, gaussian({}))", 3, 1.001}, Rounds{"poisson(0.001, gaussian({}))", 4, 0.998},
        Rounds{"wor(256 of 60000, gaussian({}))", 2, 0.999}}) {
    std::string rounds;
    for (int i = 0; i < 400; ++i)
      rounds += (i > 0 ? " + " : "") + fmt::format(fmt::runtime(sample), noise * std::pow(factor, i));
    const NormalPlan plan(parse_plan(rounds));
    const Bound found = epsilon(plan, 1e-6);
    const Bound grid = loss_distribution::Accountant(plan, 1e-2).epsilon(1, 1e-6);
    EXPECT_LE(found.lower, found.upper) << sample;
    EXPECT_LE(found.upper, grid.upper) << sample;
    EXPECT_GE(found.lower, grid.lower) << sample;
  }
}

// Atoms that miss the grid inside of a sample lose up to a mesh each on one of the sides.
TEST(Contour, HasSamplesOfEqualReleasesWhoseAtomsAreOnTheirGrid) {
  for (const char* plan :
       {"1094 x poisson(0.0135306, 17 x laplace(17.2303))", "180 x poisson(0.110197, 11 x discrete_gaussian(2.27504))",
        "500 x poisson(0.01, 2000 x discrete_laplace(30))"}) {
    const Bound found = epsilon(parse_plan(plan), 1e-8, 1e-3);
    EXPECT_LE(found.upper - found.lower, 1e-5 * found.upper) << plan;
  }
}

// In the one direction delta is e^-27, in the other e^-423114: that one's contour was looked for, and where there was
// none the other's was made from meshes of what has a transform of its own.
TEST(Contour, AsksNoContourOfADirectionThatSpendsFarLess) {
  const DeltaBound found =
      delta(parse_plan("2 x poisson(0.0236286, 3 x laplace(0.93338484)) + 5976 x poisson(0.000147228, gaussian(2.9))"),
            0.91, 1e-3);
  EXPECT_LT(found.log_upper - found.log_lower, 1e-5);
}

}  // namespace
}  // namespace dpbudget::contour
