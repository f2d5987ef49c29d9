#include "dpbudget/accounting/plan/normal_form.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/plan/visit.h"
#include "mechanisms/refused.h"

namespace dpbudget {
namespace {

using testing::delta_of;
using testing::log_uniform;
using testing::pair_of;

std::string normal(const std::string& plan, Adjacency adjacency = Adjacency::replace_one) {
  return to_text(NormalPlan(parse(plan).event, adjacency).event());
}

using Case = std::pair<const char*, const char*>;

class NormalForm : public ::testing::TestWithParam<Case> {};

TEST_P(NormalForm, IsTheOneWayToSayIt) {
  const auto& [plan, expected] = GetParam();
  EXPECT_EQ(normal(plan), expected) << plan;
  EXPECT_EQ(normal(expected), expected);
}

INSTANTIATE_TEST_SUITE_P(Repetitions, NormalForm,
                         ::testing::Values(Case{"1 x gaussian(2)", "gaussian(2)"}, Case{"0 x gaussian(2)", "nothing"},
                                           Case{"2 x 3 x 4 x rr(1)", "24 x rr(1)"},
                                           Case{"2 x (rr(1) + 3 x rr(2))", "2 x rr(1) + 6 x rr(2)"},
                                           Case{"1 x 1 x shuffle(10, 1 x rr(1))", "shuffle(10, rr(1))"},
                                           Case{"0 x (rr(1) + gaussian(1))", "nothing"}, Case{"5 x nothing", "nothing"},
                                           Case{"4503599627370496 x 2 x rr(1)", "9007199254740992 x rr(1)"},
                                           Case{"4503599627370496 x 3 x rr(1)", "4503599627370496 x 3 x rr(1)"},
                                           Case{"2 x 4503599627370496 x 3 x rr(1)", "9007199254740992 x 3 x rr(1)"},
                                           Case{"9007199254740992 x (rr(1) + 2 x rr(2))",
                                                "9007199254740992 x rr(1) + 9007199254740992 x 2 x rr(2)"}));

INSTANTIATE_TEST_SUITE_P(
    Sums, NormalForm,
    ::testing::Values(Case{"rr(1) + (rr(2) + (rr(1) + rr(3)))", "2 x rr(1) + rr(2) + rr(3)"},
                      Case{"3 x rr(1) + gaussian(1) + 2 x rr(1)", "5 x rr(1) + gaussian(1)"},
                      Case{"rr(1) + nothing", "rr(1)"}, Case{"nothing + nothing", "nothing"},
                      Case{"9007199254740991 x rr(1) + rr(1)", "9007199254740992 x rr(1)"},
                      Case{"9007199254740991 x rr(1) + 2 x rr(1) + rr(1)", "9007199254740992 x rr(1) + 2 x rr(1)"},
                      Case{"wor(0.5, 2 x rr(1)) + 3 x wor(0.5, rr(1) + rr(1))", "4 x wor(0.5, 2 x rr(1))"}));

// accounting/plan/proofs.md, 8.1
INSTANTIATE_TEST_SUITE_P(
    Guarantees, NormalForm,
    ::testing::Values(Case{"pure(0)", "nothing"}, Case{"rr(0, 5)", "nothing"}, Case{"approximate(0, 0)", "nothing"},
                      Case{"approximate(0, 1e-5)", "approximate(0, 1e-05)"}, Case{"approximate(2, 0)", "pure(2)"},
                      Case{"zcdp(0.1) + 3 x approximate(2, 1)", "approximate(0, 1)"},
                      Case{"select(geometric(0.5), approximate(0, 1))", "approximate(0, 1)"},
                      Case{"select(poisson(3), approximate(0, 1))", "select(poisson(3), approximate(0, 1))"},
                      Case{"poisson(0.1, zcdp(0.1) + approximate(0, 1))", "poisson(0.1, approximate(0, 1))"},
                      Case{"shuffle(10, pure(0))", "nothing"},
                      Case{"gaussian(2) + pure(0) + laplace(1)", "gaussian(2) + laplace(1)"}));

INSTANTIATE_TEST_SUITE_P(
    Rates, NormalForm,
    ::testing::Values(Case{"poisson(0, rr(1))", "nothing"}, Case{"wor(0 of 7, rr(1))", "nothing"},
                      Case{"participates(0, rr(1) + rr(2))", "nothing"}, Case{"poisson(1, rr(1))", "rr(1)"},
                      Case{"wor(7 of 7, 2 x rr(1))", "2 x rr(1)"}, Case{"participates(1, rr(1)) + rr(1)", "2 x rr(1)"},
                      Case{"wor(0.1, rr(0))", "nothing"}, Case{"wor(1 of 3, rr(1))", "wor(1 of 3, rr(1))"},
                      Case{"poisson(0.5, poisson(0.25, rr(1)))", "poisson(0.125, rr(1))"},
                      Case{"poisson(1 of 3, poisson(2 of 7, rr(1)))", "poisson(2 of 21, rr(1))"},
                      Case{"wor(1 of 3, 1 x wor(2 of 7, rr(1)))", "wor(2 of 21, rr(1))"},
                      Case{"participates(0.5, participates(0.5, rr(1)))", "participates(0.25, rr(1))"},
                      // Neither the product of two doubles nor that of a double and a fraction is a rate.
                      Case{"poisson(0.1, poisson(0.2, rr(1)))", "poisson(0.1, poisson(0.2, rr(1)))"},
                      Case{"poisson(0.5, poisson(1 of 3, rr(1)))", "poisson(0.5, poisson(1 of 3, rr(1)))"},
                      Case{"poisson(1 of 94906267, poisson(1 of 94906267, rr(1)))",
                           "poisson(1 of 94906267, poisson(1 of 94906267, rr(1)))"},
                      // Two runs on one sample are not two samples, and samples of different kinds are neither.
                      Case{"wor(0.5, 2 x wor(0.5, rr(1)))", "wor(0.5, 2 x wor(0.5, rr(1)))"},
                      Case{"wor(0.5, poisson(0.5, rr(1)))", "wor(0.5, poisson(0.5, rr(1)))"},
                      Case{"wor(0.5, participates(0.5, rr(1)))", "wor(0.5, participates(0.5, rr(1)))"}));

// Where the number of reports is no secret of the neighbours, reports that say nothing are nothing.
TEST(NormalForm, KeepsReportsWhoseNumberMayTell) {
  EXPECT_EQ(normal("shuffle(10, rr(0))", Adjacency::add_or_remove_one), "shuffle(10, nothing)");
  EXPECT_EQ(normal("shuffle(10, rr(0))", Adjacency::zero_out_one), "shuffle(10, nothing)");
}

TEST(NormalForm, IsOfPlansInRangeWithEveryNumberKnown) {
  EXPECT_REFUSED("the plan has an unknown `?`", normal("0 x gaussian(?)"));
  EXPECT_REFUSED("noise_multiplier is -1", NormalPlan(Gaussian{-1.0}, Adjacency::replace_one));
}

TEST(NormalForm, ProductsOfRatesAreExactOrNone) {
  EXPECT_EQ(exact_product(0.5, 0.3), Rate(0.15));
  EXPECT_FALSE(exact_product(0.1, 0.3));
  EXPECT_FALSE(exact_product(1e-200, 1e-200));
  EXPECT_FALSE(exact_product(0x1p-1000, 0.75));
  EXPECT_EQ(exact_product(Rate(2, 6), Rate(3, 5)), Rate(6, 30));
  EXPECT_FALSE(exact_product(Rate(2, 6), 0.5));
}

Rate random_rate() {
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return 0.0;
    case 1:
      return 1.0;
    case 2:
      return 0.5;
    case 3:
      return {0, 5};
    case 4:
      return {5, 5};
    case 5:
      return {static_cast<std::uint64_t>(*rc::gen::inRange(1, 7)), 7};
    default:
      return log_uniform(1e-3, 1);
  }
}

Event random_leaf() {
  const double epsilon = *rc::gen::inRange(0, 3) == 0 ? 0 : static_cast<double>(*rc::gen::inRange(1, 4));
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return RandomizedResponse{epsilon, static_cast<std::uint64_t>(*rc::gen::inRange(2, 4))};
    case 1:
      return PureDp{epsilon};
    case 2:
      return Composed{};
    default:
      return ApproximateDp{epsilon, *rc::gen::arbitrary<bool>() ? 0 : 0.01};
  }
}

// Of finite mechanisms and with much that says nothing.
Event random_plan(int depth) {
  const auto inner = [&] { return random_plan(depth - 1); };
  switch (depth == 0 ? 0 : *rc::gen::inRange(0, 6)) {
    case 0:
      return random_leaf();
    case 1:
      return Repeated{static_cast<std::uint64_t>(*rc::gen::inRange(0, 3)), inner()};
    case 2:
      return Composed{{inner(), inner()}};
    case 3:
      return Participates{random_rate(), inner()};
    case 4:
      return SampledWithoutReplacement{random_rate(), inner()};
    default:
      return PoissonSampled{random_rate(), inner()};
  }
}

// How many releases there are to enumerate.
std::uint64_t releases(const Event& event) {
  if (const auto* repeated = std::get_if<Repeated>(&event)) return repeated->count.value() * releases(*repeated->inner);
  std::uint64_t sum = 0;
  each_child(event, [&](const Event& child) { sum += releases(child); });
  return std::max<std::uint64_t>(sum, 1);
}

RC_GTEST_PROP(NormalForm, IsItsOwnNormalForm, ()) {
  const NormalPlan once(*rc::gen::arbitrary<bool>() ? random_plan(4) : testing::random_event(4, ""),
                        Adjacency::replace_one);
  RC_ASSERT(NormalPlan(once.event(), once.adjacency()).event() == once.event());
  RC_ASSERT(parse(to_text(once.event())).event == once.event());
}

RC_GTEST_PROP(NormalForm, IsTheSameMechanism, ()) {
  const Event plan = random_plan(4);
  RC_PRE(releases(plan) <= 6);
  const Event same = NormalPlan(plan, Adjacency::replace_one).event();
  RC_LOG() << to_text(plan) << " is " << to_text(same);
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-3, 6) : 0;
  for (const bool is_reversed : {false, true})
    RC_ASSERT(std::abs(delta_of(pair_of(plan), epsilon, is_reversed) - delta_of(pair_of(same), epsilon, is_reversed)) <=
              1e-15L);
}

// The brackets are of the plan as it is written, by the definitions alone.
RC_GTEST_PROP(NormalForm, IsWhatAccountantsAnswerFor, ()) {
  const Event plan = random_plan(3);
  const auto adjacency = natural_adjacency(plan);
  RC_PRE(adjacency.has_value() && releases(plan) <= 6);
  const double epsilon = *rc::gen::arbitrary<bool>() ? log_uniform(1e-2, 4) : 0;
  const long double truth = delta_of(pair_of(plan), epsilon);
  const DeltaBound found = make_accountant(AccountantName::best, {plan, *adjacency}).value()->delta(1, epsilon).value();
  RC_LOG() << to_text(plan) << " at " << epsilon << ": " << found.bound.lower << " <= " << static_cast<double>(truth)
           << " <= " << found.bound.upper;
  RC_ASSERT(found.bound.lower <= truth + 1e-15L);
  RC_ASSERT(found.bound.upper >= truth - 1e-15L);
}

// The number of leaves released, modulo 2^64.
std::uint64_t leaves(const Event& event) {
  if (const auto* repeated = std::get_if<Repeated>(&event)) return repeated->count.value() * leaves(*repeated->inner);
  const auto* composed = std::get_if<Composed>(&event);
  if (composed == nullptr) return 1;
  std::uint64_t sum = 0;
  for (const Event& part : composed->parts) sum += leaves(part);
  return sum;
}

RC_GTEST_PROP(NormalForm, LosesNoRepetition, ()) {
  const auto count = [] { return static_cast<std::uint64_t>(std::exp2(*rc::gen::inRange(0, 54))) - 1; };
  const auto laplace = [] { return Event(Laplace{static_cast<double>(*rc::gen::inRange(1, 3))}); };
  const Event plan = Repeated{
      count(), Event(Composed{{Event(Repeated{count(), laplace()}), laplace(), Event(Repeated{count(), laplace()})}})};
  const Event same = NormalPlan(plan, Adjacency::replace_one).event();
  RC_LOG() << to_text(plan) << " is " << to_text(same);
  RC_ASSERT(leaves(same) == leaves(plan));
  check(same);
}

TEST(NormalForm, IsWhatEveryAccountantReads) {
  const auto epsilon = [](AccountantName name, const char* plan) {
    return make_accountant(name, parse_plan(plan, Adjacency::replace_one)).value()->epsilon(1, 1e-6).value();
  };
  struct Same {
    const char* written;
    const char* plain;
  };
  for (const Same& same : {Same{"shuffle(1000, 1 x rr(0.72))", "shuffle(1000, rr(0.72))"},
                           Same{"participates(0 of 1, 16 x (gaussian(1.42) + gaussian(2.8))) + "
                                "gaussian(2)",
                                "gaussian(2)"},
                           Same{"wor(1, approximate(1.5, 0) + pure(0))", "pure(1.5)"}}) {
    for (const AccountantName name : all_accountants) {
      std::string refusal;
      try {
        const Bound plain = epsilon(name, same.plain);
        const Bound found = epsilon(name, same.written);
        EXPECT_EQ(found.lower, plain.lower) << same.written << " by " << to_string(name);
        EXPECT_EQ(found.upper, plain.upper) << same.written << " by " << to_string(name);
      } catch (const Unsupported& unable) {
        EXPECT_THROW(epsilon(name, same.plain), Unsupported) << same.written << ": " << unable.what();
      }
    }
  }
  EXPECT_GT(epsilon(AccountantName::best, "shuffle(1000, 1 x rr(0.72))").lower, 0.08);
}

}  // namespace
}  // namespace dpbudget
