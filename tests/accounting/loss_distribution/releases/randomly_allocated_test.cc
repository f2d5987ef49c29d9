#include "dpbudget/accounting/loss_distribution/releases/randomly_allocated.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

// What one mesh says of epsilon in one direction.
numeric::Bracket in_direction(std::string_view text, Direction direction, double delta, double mesh) {
  Evaluator evaluator(parse_plan(text), 1e-6);
  const Question question{Question::Wanted::epsilon, 1, delta};
  const auto on_side = [&](Side side) {
    return evaluator(question, {side, direction, Pair::dominating, mesh, delta * 1e-9}, std::nullopt);
  };
  return {on_side(Side::lower), on_side(Side::upper)};
}

// A finer mesh needs discretisations of its own, however old those of this one are.
TEST(RandomlyAllocated, TakesMoreWorkOnAFinerMeshThatWasNotAskedForYet) {
  Evaluator evaluator(parse_plan("random_allocation(50, gaussian(1))"), 1e-6);
  const auto work = [&](std::uint64_t count) {
    evaluator.begin_mesh();
    evaluator({Question::Wanted::epsilon, count, 1e-5},
              {Side::upper, Direction::forward, Pair::dominating, 0.01, 1e-14}, std::nullopt);
    return evaluator.work_if_finer(16);
  };
  const double first = work(20);
  EXPECT_GT(work(21), 0.9 * first);
  evaluator.start();
  work(22);
  EXPECT_LT(evaluator.work(), 0.1 * first) << "nothing was made anew";
  EXPECT_GT(first, 16 * evaluator.work());
}

struct Known {
  const char* plan;
  Direction direction;
  double delta;
  double lower;
  double upper;
};

// Nested quadrature, inversion along contours, and enumeration in 40 digits.
constexpr Known known[] = {
    {"random_allocation(3, gaussian(0.5))", Direction::forward, 0.001, 6.48371828797842, 6.4837182879812145},
    {"random_allocation(3, gaussian(0.5))", Direction::backward, 1e-08, 7.716984619342318, 7.716984619345604},
    {"random_allocation(5, gaussian(0.5))", Direction::backward, 0.001, 3.6136893831985417, 3.6136893832001875},
    {"random_allocation(5, gaussian(0.5))", Direction::forward, 1e-08, 11.139820108608037, 11.139820108612694},
    {"random_allocation(5, gaussian(0.5))", Direction::backward, 1e-08, 6.149675057684653, 6.149675057687312},
    {"random_allocation(2, gaussian(1))", Direction::forward, 0.001, 2.4957919430322706, 2.4957919430334687},
    {"random_allocation(2, gaussian(1))", Direction::backward, 1e-05, 3.079732588485037, 3.079732588486469},
    {"random_allocation(2, gaussian(1))", Direction::backward, 1e-08, 4.092532366695542, 4.0925323666973785},
    {"random_allocation(3, gaussian(1))", Direction::backward, 0.001, 1.752248043859173, 1.752248043860074},
    {"random_allocation(3, gaussian(1))", Direction::forward, 1e-05, 3.305099568281955, 3.3050995682834774},
    {"random_allocation(3, gaussian(1))", Direction::forward, 1e-08, 4.683781853355601, 4.683781853357674},
    {"random_allocation(3, gaussian(1))", Direction::backward, 1e-08, 3.3484107257123576, 3.348410725713897},
    {"random_allocation(5, gaussian(1))", Direction::forward, 1e-05, 2.820126351041834, 2.820126351043162},
    {"random_allocation(2, gaussian(2))", Direction::forward, 0.001, 0.9442822953506016, 0.9442822953511794},
    {"random_allocation(2, gaussian(2))", Direction::backward, 1e-08, 1.895727517009384, 1.8957275170103423},
    {"random_allocation(3, gaussian(2))", Direction::backward, 0.001, 0.7252621124104631, 0.7252621124109532},
    {"random_allocation(3, gaussian(2))", Direction::forward, 1e-05, 1.195055363522677, 1.1950553635233552},
    {"random_allocation(3, gaussian(2))", Direction::backward, 1e-05, 1.1132653988493413, 1.1132653988499865},
    {"random_allocation(5, gaussian(2))", Direction::forward, 0.001, 0.5625950774046357, 0.5625950774050607},
    {"random_allocation(1000, gaussian(0.5))", Direction::backward, 1e-08, 0.6661492002031317, 0.6661492022031317},
    {"random_allocation(100, gaussian(1))", Direction::backward, 0.001, 0.2560804733425968, 0.2560804733625968},
    {"random_allocation(100, gaussian(1))", Direction::forward, 1e-08, 1.4429717677919733, 1.4429717749919735},
    {"random_allocation(100, gaussian(2))", Direction::forward, 1e-05, 0.17319165525828642, 0.17319165527828642},
    {"random_allocation(100, gaussian(2))", Direction::backward, 1e-05, 0.17014180626876066, 0.17014180628876066},
    {"random_allocation(100, gaussian(2))", Direction::forward, 1e-08, 0.2592417531327321, 0.2592417531741321},
    {"random_allocation(1000, gaussian(1))", Direction::forward, 0.001, 0.06782574918207655, 0.06782574920207655},
    {"2 x random_allocation(2, gaussian(1))", Direction::forward, 0.001, 3.7238154976988858, 3.7238154977157985},
    {"2 x random_allocation(2, gaussian(1))", Direction::forward, 1e-08, 7.192775962583127, 7.192775962614503},
    {"3 x random_allocation(2, gaussian(1))", Direction::forward, 0.001, 4.748813604147133, 4.748813604168128},
    {"2 x random_allocation(2, gaussian(0.5))", Direction::backward, 1e-05, 11.277381270237292, 11.277381270284472},
    {"2 x random_allocation(2, gaussian(0.5))", Direction::forward, 1e-08, 17.9380141894901, 17.938014189563855},
    {"2 x random_allocation(2, gaussian(0.5))", Direction::backward, 1e-08, 14.113804303019037, 14.113804303077565},
    {"2 x random_allocation(3, gaussian(2))", Direction::forward, 1e-05, 1.7144878715990817, 1.7144878716080105},
    {"2 x random_allocation(3, gaussian(2))", Direction::backward, 1e-05, 1.6373694977350768, 1.6373694977437596},
    {"3 x random_allocation(3, gaussian(1))", Direction::backward, 0.001, 3.483011770228767, 3.483011770244699},
    {"random_allocation(2, laplace(0.5))", Direction::forward, 0.001, 1.970876320032633, 1.970876320432633},
    {"random_allocation(2, laplace(0.5))", Direction::forward, 1e-05, 1.9997044812302602, 1.9997044816302603},
    {"random_allocation(2, laplace(0.5))", Direction::backward, 1e-08, 1.9999999598000007, 1.9999999602000007},
    {"random_allocation(3, laplace(0.5))", Direction::forward, 1e-08, 1.9999956319813847, 1.9999956323813848},
    {"random_allocation(5, laplace(0.5))", Direction::forward, 0.001, 1.4828121934810958, 1.4828121938810959},
    {"random_allocation(5, laplace(0.5))", Direction::forward, 1e-05, 1.7935252316901302, 1.7935252320901303},
    {"random_allocation(2, laplace(1))", Direction::backward, 1e-08, 0.9999999598000007, 0.9999999602000007},
    {"random_allocation(3, laplace(1))", Direction::backward, 0.001, 0.9921079839123658, 0.9921079843123658},
    {"random_allocation(5, laplace(1))", Direction::forward, 1e-05, 0.984072001852612, 0.984072002252612},
    {"random_allocation(5, laplace(1))", Direction::backward, 1e-05, 0.9996805862795799, 0.9996805866795799},
    {"random_allocation(3, laplace(2))", Direction::forward, 1e-05, 0.49978261997303675, 0.4997826203730368},
    {"random_allocation(5, laplace(2))", Direction::forward, 0.001, 0.38516826911178437, 0.3851682695117844},
    {"random_allocation(5, laplace(2))", Direction::forward, 1e-08, 0.49999763533419583, 0.49999763573419587},
    {"random_allocation(2, rr(1))", Direction::forward, 0.001, 0.9949008601861233, 0.9949008601861233},
    {"random_allocation(5, rr(2))", Direction::forward, 0.001, 1.5854649614863594, 1.5854649614863594},
    {"2 x random_allocation(5, rr(2))", Direction::forward, 1e-05, 3.3248992252946294, 3.3248992252946294},
    {"3 x random_allocation(3, rr(1))", Direction::backward, 1e-05, 2.9998323255810413, 2.9998323255810413},
    {"3 x random_allocation(3, rr(1))", Direction::backward, 1e-08, 2.9999998323396238, 2.9999998323396238},
    {"random_allocation(100, rr(3))", Direction::forward, 1e-08, 1.3556397140432914, 1.3556397140432914},
    {"random_allocation(100, rr(3))", Direction::backward, 1e-08, 2.99999871138807, 2.99999871138807},
    {"random_allocation(1000, rr(1))", Direction::forward, 1e-05, 0.09784296591948964, 0.09784296591948964},
    {"random_allocation(1000, rr(1))", Direction::forward, 1e-08, 0.1462933709740504, 0.1462933709740504},
    {"random_allocation(1000, rr(1))", Direction::backward, 0.001, 0.05035032136724981, 0.05035032136724981},
    {"random_allocation(1000, rr(1))", Direction::backward, 1e-08, 0.162844222951388, 0.162844222951388},
    {"2 x random_allocation(10, rr(3))", Direction::forward, 0.001, 3.440438445495012, 3.440438445495012},
    {"2 x random_allocation(10, rr(3))", Direction::forward, 1e-05, 4.056052473342106, 4.056052473342106},
    {"random_allocation(4, rr(2, 4))", Direction::forward, 0.001, 1.6799653945055373, 1.6799653945055373},
    {"random_allocation(4, rr(2, 4))", Direction::forward, 1e-08, 1.999984234097907, 1.999984234097907},
    {"random_allocation(4, rr(2, 4))", Direction::backward, 1e-05, 1.9999609197803105, 1.9999609197803105},
    {"2 x random_allocation(3, rr(2, 3))", Direction::forward, 0.001, 3.2442254169286815, 3.2442254169286815},
    {"2 x random_allocation(3, rr(2, 3))", Direction::backward, 0.001, 3.995781933324384, 3.995781933324384},
    {"2 x random_allocation(3, rr(2, 3))", Direction::backward, 1e-08, 3.9999999579081678, 3.9999999579081678},
    {"2 x random_allocation(1000, gaussian(1))", Direction::backward, 1e-05, 0.18568827941611526, 0.18568863931236596},
    {"random_allocation(1000, gaussian(0.5))", Direction::backward, 1e-06, 0.5610207843242778, 0.5610209843242777},
    {"random_allocation(10, gaussian(3))", Direction::forward, 1e-10, 0.6372419450759917, 0.6372421450759916},
    {"60 x random_allocation(234, gaussian(1.1))", Direction::forward, 1e-5, 2.340520, 2.340522},
    {"60 x random_allocation(234, gaussian(1.1))", Direction::backward, 1e-5, 2.299821, 2.299823},
};

// accounting/loss_distribution/proofs.md, 4c.3
TEST(RandomlyAllocated, EachDirectionIsBracketed) {
  for (const Known& each : known) {
    SCOPED_TRACE(each.plan);
    const auto [lower, upper] = in_direction(each.plan, each.direction, each.delta, std::min(0.01, each.upper / 50));
    EXPECT_LE(lower, each.upper * (1 + 1e-12)) << "delta " << each.delta;
    EXPECT_GE(upper, each.lower * (1 - 1e-12)) << "delta " << each.delta;
    EXPECT_LE(upper - lower, 0.05 * upper) << "delta " << each.delta;
  }
}

Bound allocation_spent(const std::string& plan, double delta, double tolerance = 1e-3) {
  return Accountant(parse_plan(plan), tolerance).epsilon(1, delta);
}

TEST(RandomlyAllocated, EpochsAreNarrow) {
  const Bound bound = allocation_spent("60 x random_allocation(234, gaussian(1.1))", 1e-5);
  EXPECT_LE(bound.lower, 2.340522);
  EXPECT_GE(bound.upper, 2.340520);
  EXPECT_LE(bound.upper - bound.lower, 1e-3 * bound.upper);
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
}

TEST(RandomlyAllocated, OneStepHidesNothing) {
  const Bound dealt = allocation_spent("3 x random_allocation(1, gaussian(2))", 1e-6);
  const Bound bare = allocation_spent("3 x gaussian(2)", 1e-6);
  EXPECT_EQ(dealt.lower, bare.lower);
  EXPECT_EQ(dealt.upper, bare.upper);
}

TEST(RandomlyAllocated, MoreStepsHideMore) {
  double before = allocation_spent("gaussian(0.8)", 1e-6).upper;
  for (const char* steps : {"2", "3", "64", "31415", "1000000"}) {
    SCOPED_TRACE(steps);
    const Bound bound = allocation_spent(std::string("random_allocation(") + steps + ", gaussian(0.8))", 1e-6);
    EXPECT_LT(bound.upper, before);
    EXPECT_LT(0, bound.lower);
    EXPECT_LE(bound.upper - bound.lower, 1e-3 * bound.upper);
    before = bound.upper;
  }
}

// accounting/loss_distribution/proofs.md, 4c.1, 4c.2, 4c.4 and 4c.5
RC_GTEST_PROP(RandomlyAllocated, HoldsWhatEnumerationFinds, ()) {
  const auto leaf = [&]() -> Event {
    if (*rc::gen::arbitrary<bool>()) return ApproximateDp{log_uniform(1e-2, 4), log_uniform(1e-6, 0.1)};
    return RandomizedResponse{log_uniform(1e-2, 4), static_cast<std::uint64_t>(*rc::gen::inRange(2, 5))};
  };
  Event inner = leaf();
  if (*rc::gen::inRange(0, 3) == 0) inner = PoissonSampled{log_uniform(1e-2, 1), inner};
  if (*rc::gen::inRange(0, 3) == 0) inner = Participates{log_uniform(1e-2, 1), inner};
  Event event = RandomlyAllocated{static_cast<std::uint64_t>(*rc::gen::inRange(1, 6)), inner};
  if (*rc::gen::inRange(0, 3) == 0) event = repeat(2, event);
  RC_LOG() << to_text(event);
  const double epsilon = log_uniform(1e-3, 8);
  const auto truth = static_cast<double>(testing::delta_of(testing::pair_of(event), epsilon));
  const Bound bound = Accountant(Plan{event, Adjacency::add_or_remove_one}, 1e-2).delta(1, epsilon).bound;
  RC_LOG() << " at " << epsilon << ": " << truth << " in [" << bound.lower << ", " << bound.upper << "]";
  RC_ASSERT(bound.lower <= truth * (1 + 1e-10) + 1e-15);
  RC_ASSERT(bound.upper >= truth * (1 - 1e-10) - 1e-15);
}

TEST(RandomlyAllocated, TakesCompositionsInside) {
  // Two Gaussians together are one of less noise.
  const Bound whole = allocation_spent("random_allocation(10, gaussian(1.4142135623730951))", 1e-5);
  const Bound parts = allocation_spent("random_allocation(10, gaussian(2) + gaussian(2))", 1e-5);
  EXPECT_NEAR(whole.upper, parts.upper, 2e-3 * whole.upper);
  const Bound sampled = allocation_spent("random_allocation(10, 3 x poisson(0.5, gaussian(2)) + laplace(3))", 1e-5);
  EXPECT_LT(sampled.lower, sampled.upper);
  EXPECT_LE(sampled.upper - sampled.lower, 0.02 * sampled.upper);
}

// A search for a mesh stops where the next takes too long, which it can only know if sums of ratios are counted.
TEST(RandomlyAllocated, CountsItsWork) {
  const auto work = [](const char* plan, double step) {
    return release_pieces(parse_plan(plan).event, Adjacency::add_or_remove_one, Side::upper, Pair::dominating,
                          Cut{.step = step, .tail = 1e-12})
        ->work;
  };
  EXPECT_EQ(work("gaussian(1)", 1e-3), 0);
  const double coarse = work("random_allocation(100, gaussian(1))", 1e-1);
  EXPECT_GT(coarse, 0);
  EXPECT_GT(work("random_allocation(100, gaussian(1))", 1e-3), coarse);
  EXPECT_GT(work("poisson(0.5, random_allocation(100, gaussian(1)))", 1e-3), 0);
}

TEST(RandomlyAllocated, RefusesReplacementByName) {
  try {
    allocation_spent("random_allocation(10, gaussian(1)) under replace_one", 1e-5);
    FAIL() << "not refused";
  } catch (const Unsupported& refused) {
    EXPECT_NE(std::string(refused.what()).find("random_allocation(10, gaussian(1))"), std::string::npos);
  }
}

TEST(RandomlyAllocated, RefusesBadNumbersByName) {
  for (const char* plan : {"random_allocation(0, gaussian(1))", "random_allocation(2.5, gaussian(1))",
                           "random_allocation(-1, gaussian(1))", "random_allocation(nan, gaussian(1))"}) {
    SCOPED_TRACE(plan);
    try {
      parse_plan(plan);
      FAIL() << "not refused";
    } catch (const InvalidArgument& refused) {
      EXPECT_NE(std::string(refused.what()).find("steps"), std::string::npos) << refused.what();
    }
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
