// The accountant against finite mechanisms, whose deltas follow from their definitions by enumeration.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/loss_distribution/finite_plan.h"
#include "dpbudget/accounting/loss_distribution/mesh_search.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/pure.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::delta_of;
using dpbudget::testing::FinitePair;
using dpbudget::testing::log_uniform;
using dpbudget::testing::pair_of;

// Rounding of the enumeration itself.
constexpr long double slack = 1e-15L;

Event random_leaf() {
  const auto few = [] { return static_cast<std::uint64_t>(*rc::gen::inRange(2, 4)); };
  switch (*rc::gen::inRange(0, 8)) {
    case 4:
      return SubsetSelection{log_uniform(0.01, 4), 4, static_cast<std::uint64_t>(*rc::gen::inRange(0, 4))};
    case 5:
      return Rappor{log_uniform(0.01, 4), 2};
    case 6:
      return UnaryEncoding{log_uniform(0.01, 4), 2};
    case 7:
      return HadamardResponse{log_uniform(0.01, 4), few()};
    case 0:
      return RandomizedResponse{log_uniform(0.01, 4), static_cast<std::uint64_t>(*rc::gen::inRange(2, 6))};
    case 1:
      return PureDp{log_uniform(0.01, 4)};
    default:
      return ApproximateDp{log_uniform(0.01, 3), log_uniform(1e-9, 0.2)};
  }
}

// At most some thousand outcomes.
Event random_plan(int depth, bool is_poisson) {
  const auto inner = [&] { return random_plan(depth - 1, is_poisson); };
  switch (depth == 0 ? 0 : *rc::gen::inRange(0, 6)) {
    case 0:
      return random_leaf();
    case 1:
      return Repeated{static_cast<std::uint64_t>(*rc::gen::inRange(1, 4)), random_plan(0, is_poisson)};
    case 2:
      return Composed{{inner(), random_leaf()}};
    case 3:
      return Participates{log_uniform(1e-3, 1), inner()};
    default:
      if (is_poisson) return PoissonSampled{log_uniform(1e-3, 1), inner()};
      return SampledWithoutReplacement{log_uniform(1e-3, 1), inner()};
  }
}

// accounting/loss_distribution/proofs.md, 5.2
RC_GTEST_PROP(FinitePlans, DeltaIsInsideTheBracket, ()) {
  const bool is_poisson = *rc::gen::arbitrary<bool>();
  const Plan plan{random_plan(3, is_poisson), is_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
  const FinitePair pair = pair_of(plan.event);
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 6) : 0;
  const DeltaBound found = Accountant(plan, log_uniform(1e-3, 0.1)).delta(1, epsilon);
  const long double truth = delta_of(pair, epsilon);
  RC_LOG() << to_text(plan) << " at " << epsilon << ": " << found.bound.lower << " <= " << static_cast<double>(truth)
           << " <= " << found.bound.upper;
  RC_ASSERT(found.bound.lower <= truth + slack);
  RC_ASSERT(found.bound.upper >= truth - slack);
  RC_ASSERT(found.bound.lower <= found.bound.upper);
}

RC_GTEST_PROP(FinitePlans, DeltaAtTheEndsOfEpsilonBracketsDelta, ()) {
  const bool is_poisson = *rc::gen::arbitrary<bool>();
  const Plan plan{random_plan(3, is_poisson), is_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
  const FinitePair pair = pair_of(plan.event);
  const double delta = log_uniform(1e-12, 0.5);
  const Bound found = Accountant(plan, log_uniform(1e-3, 0.1)).epsilon(1, delta);
  RC_LOG() << to_text(plan) << " at delta " << delta << ": " << found.lower << " .. " << found.upper;
  RC_ASSERT(found.lower <= found.upper);
  if (std::isfinite(found.upper)) RC_ASSERT(delta_of(pair, found.upper) <= delta * (1 + 1e-12L) + slack);
  if (found.lower > 0 && std::isfinite(found.lower)) {
    // Just below the lower end delta is still too large.
    RC_ASSERT(delta_of(pair, found.lower * (1 - 1e-12) - 1e-14) >= delta * (1 - 1e-12L) - slack);
  }
}

// The same by meshes, which answer where there are too many outcomes, or other releases beside.
MeshAnswer by_meshes(const Plan& plan, const Question& question, double tolerance) {
  const Outline sketch = outline(plan, 1e-20);
  Evaluator evaluator(plan, tolerance / 10);
  return MeshSearch(evaluator, sketch, tolerance, tolerance, question).run(std::nullopt);
}

// accounting/loss_distribution/proofs.md, 1.1 and 4.5
RC_GTEST_PROP(FinitePlans, DeltaIsInsideTheBracketOfMeshes, ()) {
  const bool is_poisson = *rc::gen::arbitrary<bool>();
  const Plan plan{random_plan(3, is_poisson), is_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 6) : 0;
  const long double truth = delta_of(pair_of(plan.event), epsilon);
  const MeshAnswer found = by_meshes(plan, {Question::Wanted::log_delta, 1, epsilon}, log_uniform(1e-3, 0.1));
  RC_LOG() << to_text(plan) << " at " << epsilon << ": " << static_cast<double>(truth);
  RC_ASSERT(std::exp(found.attained) <= truth + slack);
  RC_ASSERT(std::exp(found.dominating.upper) >= truth - slack);
}

RC_GTEST_PROP(FinitePlans, DeltaAtTheEndsOfTheEpsilonOfMeshesBracketsDelta, ()) {
  const bool is_poisson = *rc::gen::arbitrary<bool>();
  const Plan plan{random_plan(3, is_poisson), is_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
  const FinitePair pair = pair_of(plan.event);
  const double delta = log_uniform(1e-12, 0.5);
  const MeshAnswer found = by_meshes(plan, {Question::Wanted::epsilon, 1, delta}, log_uniform(1e-3, 0.1));
  RC_LOG() << to_text(plan) << " at delta " << delta << ": " << found.attained << " .. " << found.dominating.upper;
  if (found.dominating.upper > 0 && std::isfinite(found.dominating.upper))
    RC_ASSERT(delta_of(pair, found.dominating.upper) <= delta * (1 + 1e-12L) + slack);
  if (found.attained > 0 && std::isfinite(found.attained))
    RC_ASSERT(delta_of(pair, found.attained * (1 - 1e-12) - 1e-14) >= delta * (1 - 1e-12L) - slack);
}

// Both ends are those of the truth, but for rounding.
// accounting/loss_distribution/proofs.md, 4b.4
RC_GTEST_PROP(FinitePlans, AreExactOutcomeByOutcome, ()) {
  const Plan plan{random_plan(3, true), Adjacency::add_or_remove_one};
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 6) : 0;
  const auto found = finite_answer(plan, false, {Question::Wanted::log_delta, 1, epsilon});
  RC_ASSERT(found.has_value());
  const long double truth = delta_of(pair_of(plan.event), epsilon);
  // Off to the safe side, by what sums of masses near 1 round where delta is far smaller.
  const long double rounding = 1e-10L * truth + 64 * slack;
  RC_ASSERT(std::exp(found->dominating.upper) >= truth - slack);
  RC_ASSERT(std::exp(found->dominating.upper) <= truth + rounding);
  RC_ASSERT(std::exp(found->dominating.lower) <= truth + slack);
  RC_ASSERT(std::exp(found->dominating.lower) >= truth - rounding);
}

TEST(FinitePlans, OfTooManyOutcomesAreLeftToMeshes) {
  const Question question{Question::Wanted::epsilon, 1, 1e-5};
  EXPECT_TRUE(finite_answer(parse_plan("1000000 x rr(0.001)"), false, question));
  EXPECT_FALSE(finite_answer(parse_plan("1100000 x rr(0.001)"), false, question));
  // Four million, but for the rare ones.
  EXPECT_TRUE(finite_answer(parse_plan("2000 x rr(0.1) + 2000 x pure(0.03)"), false, question));
  EXPECT_FALSE(finite_answer(parse_plan("2000 x rr(0.1) + 2000 x pure(0.03) + 2000 x pure(0.02)"), false, question));
  EXPECT_FALSE(finite_answer(parse_plan("rr(1) + gaussian(1)"), false, question));
  EXPECT_FALSE(finite_answer(parse_plan("rr(1)"), false, {Question::Wanted::epsilon, 1, 1e-280}));
}

RC_GTEST_PROP(FinitePlans, RepetitionsOfThePlanAreThoseOfTheAccountant, ()) {
  const Plan round{random_leaf(), Adjacency::add_or_remove_one};
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(1, 7));
  const double epsilon = log_uniform(1e-2, 4);
  const long double truth = delta_of(pair_of(repeat(count, round.event)), epsilon);
  const DeltaBound found = Accountant(round, 1e-3).delta(count, epsilon);
  RC_ASSERT(found.bound.lower <= truth + slack);
  RC_ASSERT(found.bound.upper >= truth - slack);
}

// A hundred randomised responses: the losses are a lattice, which no mesh loses anything on. By the binomial law.
TEST(FinitePlans, AHundredRandomisedResponsesAreExact) {
  const double epsilon = 1;
  const Plan plan = parse_plan("100 x rr(1)");
  const Bound found = Accountant(plan, 1e-3).epsilon(1, 1e-5);
  const auto delta = [&](long double at) {
    long double sum = 0;
    for (int k = 0; k <= 100; ++k) {
      const long double loss = epsilon * (2 * k - 100);
      const long double p = std::exp(std::lgamma(101.0L) - std::lgamma(k + 1.0L) - std::lgamma(101.0L - k) + k * 1.0L -
                                     100 * std::log1p(std::exp(1.0L)));
      if (loss > at) sum += p * -std::expm1(at - loss);
    }
    return sum;
  };
  EXPECT_LE(delta(found.upper), 1e-5L * (1 + 1e-12L));
  EXPECT_GE(delta(found.lower), 1e-5L * (1 - 1e-12L));
  EXPECT_LT(found.upper - found.lower, 1e-8);
}

// Its loss is 1/scale or -1/scale.
TEST(FinitePlans, DiscreteLaplaceIsTheResponseItEquals) {
  for (const char* rest : {" + rr(1)", " + 2 x rr(0.3)"}) {
    const Bound laplace =
        Accountant(parse_plan(std::string("20 x discrete_laplace(0.7)") + rest), 0.1).epsilon(1, 1e-5);
    const Bound response =
        Accountant(parse_plan(std::string("20 x rr(1.4285714285714286)") + rest), 0.1).epsilon(1, 1e-5);
    EXPECT_NEAR(laplace.lower, response.lower, 1e-9) << rest;
    EXPECT_NEAR(laplace.upper, response.upper, 1e-9) << rest;
  }
}

// Composition multiplies what a single round gets wrong. Truths by enumeration in 50 digits.
TEST(FinitePlans, SamplingAroundCompositionsStaysOnItsSideOverManyRounds) {
  struct Case {
    const char* plan;
    double delta;
    double tolerance;
    double truth;
  };
  for (const Case& known : {Case{"60 x poisson(0.1, 2 x rr(1))", 0.01, 0.1, 3.771824743200591},
                            Case{"60 x poisson(0.1, 2 x rr(1))", 0.01, 1e-3, 3.771824743200591},
                            Case{"60 x poisson(0.1, 2 x rr(1))", 0.1, 0.3, 1.998619126894449},
                            Case{"60 x poisson(0.01, 2 x rr(1))", 1e-5, 0.01, 0.597389078130993},
                            Case{"10 x poisson(0.1, 2 x rr(1))", 0.1, 1e-3, 0.39247421938833324}}) {
    const Bound found = Accountant(parse_plan(known.plan), known.tolerance).epsilon(1, known.delta);
    EXPECT_LE(found.lower, known.truth * (1 + 1e-5)) << known.plan;
    EXPECT_GE(found.upper, known.truth * (1 - 1e-5)) << known.plan;
    EXPECT_LE(found.upper - found.lower, known.tolerance * found.upper) << known.plan;
  }
  // From below, sampling without replacement is that of the mixture.
  EXPECT_LE(Accountant(parse_plan("60 x wor(0.1, 2 x rr(1))"), 1e-3).epsilon(1, 0.01).lower, 3.771824743200591);
  EXPECT_LE(Accountant(parse_plan("60 x wor(0.1, 2 x rr(1))"), 1e-3).epsilon(1, 1e-5).lower, 7.25402871487);
}

RC_GTEST_PROP(FinitePlans, LowerDistributionsHaveNoMoreThanAllMass, ()) {
  const bool is_poisson = *rc::gen::arbitrary<bool>();
  const Plan plan{random_plan(3, is_poisson), is_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const PlanLosses losses(plan, {Side::lower, direction, Pair::attained, log_uniform(1e-3, 0.3), 1e-12});
    for (const Part& part : losses.parts(1)) {
      long double total = part.distribution->at_infinity;
      for (const double mass : part.distribution->mass) total += mass;
      RC_ASSERT(total <= 1 + slack);
    }
  }
}

TEST(FinitePlans, DeltasBeyondADoubleAreNotZero) {
  // The largest loss alone has e^-1392.9; beyond all losses there is nothing.
  const DeltaBound far = Accountant(parse_plan("2000 x pure(0.001)"), 1e-3).delta(1, 1.9995);
  EXPECT_GE(far.log_upper, -1392.95);
  EXPECT_GT(far.bound.upper, 0);
  EXPECT_EQ(Accountant(parse_plan("2000 x pure(0.001)"), 1e-3).delta(1, 2.001).bound.upper, 0);
}

TEST(FinitePlans, CountsDoNotOverflow) {
  Accountant accountant(parse_plan("9007199254740992 x rr(1)"), 1e-3);
  EXPECT_THROW(accountant.epsilon(2048, 1e-5), Unsupported);
}

// Sums of losses overflow, and what is not a number must not pass for an epsilon of 0.
TEST(FinitePlans, LossesBeyondADoubleAreRefusedOrBounded) {
  for (const char* text : {"2 x pure(1e308)", "2 x pure(1e307)", "300 x pure(1e307)", "3 x discrete_laplace(1e-308)",
                           "2 x pure(1e307) + gaussian(1)", "poisson(0.6, 2 x pure(1e307) + gaussian(1))"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(Accountant(parse_plan(text), 1e-3).epsilon(1, 0.5), Unsupported);
    EXPECT_THROW(Accountant(parse_plan(text), 1e-3).delta(1, 1), Unsupported);
  }
  const Bound large = Accountant(parse_plan("2 x pure(1e299)"), 1e-3).epsilon(1, 0.5);
  EXPECT_NEAR(large.upper, 2e299, 1e288);
  EXPECT_NEAR(large.lower, 2e299, 1e288);
}

TEST(FinitePlans, DegenerateSamplingIsAnswered) {
  const auto spent = [](const char* plan) { return Accountant(parse_plan(plan), 1e-3).epsilon(1, 1e-5).upper; };
  EXPECT_LT(spent("poisson(0, laplace(1))"), 1e-9);
  EXPECT_LT(spent("wor(0, rr(1))"), 1e-9);
  EXPECT_LT(spent("wor(0.1, nothing)"), 1e-9);
  EXPECT_NEAR(spent("poisson(1, 2 x rr(1))"), spent("2 x rr(1)"), 1e-2);
  EXPECT_LE(spent("poisson(0.1, 3 x pure(800))"), 2400);
}

TEST(FinitePlans, AGuaranteeMeetsItsOwnDelta) {
  const Bound found = Accountant(parse_plan("approximate(1, 1e-5)"), 1e-3).epsilon(1, 1e-5);
  EXPECT_NEAR(found.upper, 1, 1e-9);
}

TEST(FinitePlans, NoEpsilonIsEnoughBelowTheMassAtInfinity) {
  const Bound found = Accountant(parse_plan("10 x approximate(0.1, 0.001)"), 1e-3).epsilon(1, 1e-3);
  EXPECT_TRUE(std::isinf(found.upper));
}

TEST(FinitePlans, NothingSpendsNothing) {
  const Bound found = Accountant(parse_plan("nothing"), 1e-3).epsilon(1, 1e-9);
  EXPECT_EQ(found.upper, 0);
}

TEST(FinitePlans, HaveNoDeltaWhereNoLossIsAboveEpsilon) {
  for (const char* text : {"shuffle(43172, rr(0.5))", "3 x shuffle(50, pure(0.1))", "laplace(2)"}) {
    const NormalPlan plan(parse_plan(text));
    Accountant accountant(plan, 1e-3);
    const double largest = pure_epsilon(plan.event(), plan.adjacency());
    EXPECT_EQ(accountant.delta(1, largest).bound.upper, 0) << text;
    EXPECT_EQ(accountant.delta(2, 2 * largest).bound.upper, 0) << text;
    EXPECT_GT(accountant.delta(1, 0.01 * largest).bound.upper, 0) << text;
  }
}

// A sample of anything has the delta q delta'(epsilon'), epsilon' = log(1 + (e^epsilon - 1)/q): Balle, Barthe, Gaboardi
// 2018, Theorem 8. So far above 0 that is epsilon - log q.
TEST(FinitePlans, SampleManyOutcomesOneByOne) {
  const double rate = 0.0022;
  const double delta = 1e-5;
  Accountant sampled(NormalPlan(parse_plan("poisson(0.0022, 100000 x rr(1))")), 1e-3);
  Accountant alone(NormalPlan(parse_plan("100000 x rr(1) under add_or_remove_one")), 1e-3);
  const Bound found = sampled.epsilon(1, delta);
  const Bound whole = alone.epsilon(1, delta / rate);
  EXPECT_LT(found.upper - found.lower, 1e-5 * found.upper);
  EXPECT_LE(found.lower, whole.upper + std::log(rate));
  EXPECT_GE(found.upper, whole.lower + std::log(rate));
}

// Sums over all outcomes of Poisson samples of discrete Gaussian noise beside a pure mechanism, far beyond where a
// double tells them from nothing.
class SampledNoise {
 public:
  SampledNoise(int releases, long double rate, long double sigma, long double pure) {
    std::vector<long double> noise;
    long double total = 0;
    for (int z = -reach; z <= reach + 1; ++z) {
      noise.push_back(std::exp(-(z / sigma) * (z / sigma) / 2));
      total += noise.back();
    }
    outcomes_ = {{std::exp(pure) / (1 + std::exp(pure)), 1 / (1 + std::exp(pure))},
                 {1 / (1 + std::exp(pure)), std::exp(pure) / (1 + std::exp(pure))}};
    for (int release = 0; release < releases; ++release) {
      std::vector<Outcome> more;
      for (const auto& [p, q] : outcomes_)
        for (std::size_t z = 1; z < noise.size(); ++z) {
          const long double without = noise[z] / total;
          const long double with = noise[z - 1] / total;
          more.push_back({p * ((1 - rate) * without + rate * with), q * without});
        }
      outcomes_ = std::move(more);
    }
  }

  long double delta(long double epsilon) const {
    long double forward = 0;
    long double backward = 0;
    for (const auto& [p, q] : outcomes_) {
      forward += std::max(0.0L, p - std::exp(epsilon) * q);
      backward += std::max(0.0L, q - std::exp(epsilon) * p);
    }
    return std::max(forward, backward);
  }

 private:
  static constexpr int reach = 80;
  struct Outcome {
    long double p;
    long double q;
  };
  std::vector<Outcome> outcomes_;
};

// accounting/loss_distribution/proofs.md, 4b.5
RC_GTEST_PROP(FinitePlans, AddUpSampledDiscreteGaussianNoise, ()) {
  const int releases = *rc::gen::inRange(1, 3);
  const double rate = log_uniform(1e-6, 0.9);
  const double sigma = log_uniform(0.4, 1.5);
  const double pure = log_uniform(1e-3, 1);
  const SampledNoise truth(releases, rate, sigma, pure);
  const Event noise = DiscreteGaussian{sigma};
  const Event sampled = PoissonSampled{rate, noise};
  const Event repeated = Repeated{static_cast<std::uint64_t>(releases), sampled};
  const Plan plan{Composed{{repeated, PureDp{pure}}}, Adjacency::add_or_remove_one};
  Accountant accountant(plan, 1e-3);
  const double epsilon = pure * log_uniform(0.1, 2);
  const DeltaBound found = accountant.delta(1, epsilon);
  const long double delta = truth.delta(epsilon);
  RC_LOG() << to_text(plan) << " at " << epsilon << ": " << found.log_lower
           << " <= " << static_cast<double>(std::log(delta)) << " <= " << found.log_upper;
  constexpr long double rounding = 1e-12L;  // of the sums here
  RC_ASSERT(std::exp(static_cast<long double>(found.log_lower)) <= delta * (1 + rounding));
  RC_ASSERT(std::exp(static_cast<long double>(found.log_upper)) >= delta * (1 - rounding));
  RC_ASSERT(found.log_upper - found.log_lower < 1e-6);
  const Bound spent = accountant.epsilon(1, static_cast<double>(delta));
  RC_LOG() << "epsilon " << spent.lower << " .. " << spent.upper;
  RC_ASSERT(spent.lower <= epsilon * (1 + 1e-9));
  RC_ASSERT(spent.upper >= epsilon * (1 - 1e-9));
  RC_ASSERT(spent.upper - spent.lower < 1e-6 * (1 + spent.upper));
}

// accounting/loss_distribution/proofs.md, 4b.5
TEST(FinitePlans, HaveTailsBesideTheirOutcomes) {
  const Cut cut{.step = 1, .tail = 1e-9};
  const Event noise = DiscreteGaussian{1};
  const auto once =
      release_pieces(PoissonSampled{1e-3, noise}, Adjacency::add_or_remove_one, Side::upper, Pair::dominating, cut);
  ASSERT_TRUE(once);
  EXPECT_FALSE(is_finite(*once));
  const auto whole = with_whole_tails(*once);
  ASSERT_TRUE(whole);
  double p = whole->p_above;
  double q = whole->q_below;
  for (const Piece& piece : whole->pieces) p += piece.p, q += piece.q;
  EXPECT_GE(p, 1 - 1e-15);
  EXPECT_GE(q, 1 - 1e-15);
  EXPECT_LT(p, 1 + 1e-7);
  EXPECT_LT(q, 1 + 1e-7);
  // Of so rare a sample all losses are near 0, and what is cut off is most of what it can be.
  EXPECT_FALSE(with_whole_tails(
      release_pieces(PoissonSampled{1e-40, noise}, Adjacency::add_or_remove_one, Side::upper, Pair::dominating, cut)
          .value()));
  EXPECT_FALSE(with_whole_tails(
      release_pieces(Laplace{1}, Adjacency::add_or_remove_one, Side::upper, Pair::dominating, {0.1, 1e-9}).value()));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
