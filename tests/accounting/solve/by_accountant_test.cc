#include "dpbudget/accounting/solve/by_accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/rounds.h"

namespace dpbudget::solve {
namespace {

using testing::log_uniform;

// Accountants whose epsilon is a constant of their own over the noise; those left out have no theorem.
class Invented {
 public:
  // @param tightest  who gives `best` its upper end
  explicit Invented(std::map<AccountantName, double> constants, AccountantName tightest = AccountantName::best)
      : constants_(std::move(constants)), tightest_(tightest) {}

  Answer<Bound> operator()(AccountantName name, double noise) {
    ++asked_[name];
    const auto found = constants_.find(name);
    if (found == constants_.end()) return Refusal{std::string(to_string(name)), "has no theorem"};
    Bound bound;
    bound.upper = found->second / noise;
    bound.is_resolved = true;
    if (name != AccountantName::renyi) bound.lower = bound.upper;
    bound.accountant = to_string(name == AccountantName::best ? tightest_ : name);
    return bound;
  }

  double noise(AccountantName name, double epsilon, double tolerance = 1e-3) {
    const Solution found = by_accountant(UnknownKind::noise, name, tolerance, epsilon, std::ref(*this)).value();
    EXPECT_EQ(found.at_value.upper, constants_.at(name) / found.value.value());
    return found.value.value();
  }

  int asked(AccountantName name) { return asked_[name]; }

 private:
  std::map<AccountantName, double> constants_;
  AccountantName tightest_;
  std::map<AccountantName, int> asked_;
};

RC_GTEST_PROP(ByAccountant, IsTheLeastNoiseThatTheAccountantCertifies, ()) {
  const double epsilon = log_uniform(1e-6, 1e6);
  const double best = log_uniform(1e-3, 1e3);
  // `best` is nearly what its tightest member says, and now and then a little above.
  const double contour = best * *rc::gen::element(0.9995, 1.0);
  const AccountantName tightest = *rc::gen::element(AccountantName::contour, AccountantName::best);
  Invented invented({{AccountantName::best, best},
                     {AccountantName::contour, contour},
                     {AccountantName::renyi, best * log_uniform(1, 3)},
                     {AccountantName::loss_distribution, best * 1.01}},
                    tightest);
  const double noise = invented.noise(AccountantName::best, epsilon);
  // Only a member whose closed form decides is searched to the last digit.
  const bool is_exact = tightest == AccountantName::contour && contour == best;
  RC_ASSERT(best / noise <= epsilon);
  RC_ASSERT(best / noise >= epsilon * (is_exact ? 1 - 1e-11 : 1 - 1e-3));
}

TEST(ByAccountant, AsksBestTwiceWhereAMemberDecides) {
  Invented invented({{AccountantName::best, 2}, {AccountantName::approximate, 2}, {AccountantName::renyi, 3}},
                    AccountantName::approximate);
  EXPECT_NEAR(invented.noise(AccountantName::best, 0.5), 4, 1e-11);
  EXPECT_EQ(invented.asked(AccountantName::best), 2);  // who it is, and about the value found
}

TEST(ByAccountant, NeedsNoRenyiBound) {
  Invented invented({{AccountantName::best, 2}, {AccountantName::loss_distribution, 2}});
  EXPECT_NEAR(invented.noise(AccountantName::best, 0.5), 4, 4e-5);
  EXPECT_NEAR(invented.noise(AccountantName::loss_distribution, 0.5), 4, 4e-5);
}

TEST(ByAccountant, SaysThatThereIsNoTheorem) {
  EXPECT_THROW(Invented({}).noise(AccountantName::best, 1), Unsupported);
  EXPECT_THROW(Invented({}).noise(AccountantName::renyi, 1), Unsupported);
  EXPECT_THROW(Invented({{AccountantName::best, 1}}).noise(AccountantName::best, -1), InvalidArgument);
}

// tCDP has a theorem for such samples only where the noise is large: rho is at most 0.1.
TEST(ByAccountant, SolvesWhereATheoremHoldsForSomeValuesOnly) {
  const Plan plan = parse_plan("300 x wor(10 of 600, gaussian(?)) under replace_one");
  const Solution found = unknown(plan, AccountantName::concentrated, default_tolerance, 0.3, 0.01).value();
  ASSERT_TRUE(found.value);
  EXPECT_GT(*found.value, 5);  // costs 0.3637
  EXPECT_LT(*found.value, 8);  // costs 0.1930
  EXPECT_LE(found.at_value.upper, 0.3);
  EXPECT_GT(found.at_value.upper, 0.3 * (1 - 1e-9));
  const auto none = unknown(parse_plan("poisson(0.1, gaussian(?))"), AccountantName::concentrated, 0.1, 1, 1e-5);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().text().starts_with("concentrated has no theorem for")) << none.error().text();
}

// An exact theorem for no repetition but one, and one that holds a plan's accountants between counts.
TEST(ByAccountant, CountsRepetitions) {
  const auto counted = [](const char* plan, AccountantName name, double epsilon) {
    return unknown(parse_plan(plan), name, default_tolerance, epsilon, 1e-5);
  };
  for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution, AccountantName::renyi}) {
    const Solution found = counted("? x wor(0.02, rr(1)) under replace_one", name, 0.5).value();
    const auto once = make_accountant(name, parse_plan("wor(0.02, rr(1)) under replace_one")).value();
    const auto count = static_cast<std::uint64_t>(found.value.value());
    EXPECT_LE(once->epsilon(count, 1e-5)->upper, 0.5) << to_string(name);
    EXPECT_GT(once->epsilon(count + 1, 1e-5)->upper, 0.5) << to_string(name);
  }
  EXPECT_EQ(counted("? x shuffle(1000, rr(1)) under replace_one", AccountantName::exact, 0.5).value().value, 1);
  EXPECT_FALSE(counted("? x laplace(1)", AccountantName::exact, 0.5));
}

TEST(ByAccountant, CountsAsManyAsRoundsDoes) {
  for (const char* round : {"poisson(0.01, gaussian(1))", "laplace(3)", "shuffle(500, rr(2))", "gaussian(0.1)"}) {
    const Plan once = parse_plan(round);
    const Plan plan = parse_plan("? x " + std::string(round));
    const auto most = rounds(once, AccountantName::best, 1e-2, 1, 1e-5, Beyond::unasked).value();
    EXPECT_FALSE(most.none_from);
    EXPECT_EQ(unknown(plan, AccountantName::best, 1e-2, 1, 1e-5)->value, static_cast<double>(most.rounds)) << round;
  }
  const Solution none = unknown(parse_plan("? x gaussian(0.1)"), AccountantName::best, 1e-2, 1, 1e-5).value();
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.at_value.theorems, std::vector<std::string>{"nothing is released: by definition"});
  EXPECT_TRUE(unknown(parse_plan("? x pure(0)"), AccountantName::best, 1e-2, 1, 1e-5)->every_value);
}

// The bound that decides falls in steps: by 1e-12 at a time, ever farther, `best` was asked too seldom to come there,
// and came no farther than where a member without a lower end is inside.
TEST(ByAccountant, FindsWhereABoundInStepsIsInside) {
  const Plan plan = parse_plan("100 x poisson(?, discrete_gaussian(0.2))");
  const Solution found = unknown(plan, AccountantName::best, default_tolerance, 0.01, 1e-20).value();
  ASSERT_TRUE(found.value);
  EXPECT_GT(*found.value, 2.73e-17);
  EXPECT_EQ(found.at_value.accountant, "loss_distribution");
  EXPECT_GT(found.at_value.lower, 0.00999);
  const Plan known{substitute(plan.event, *found.value), plan.adjacency};
  const DeltaBound delta = make_accountant(AccountantName::best, known).value()->delta(1, 0.01).value();
  EXPECT_LE(delta.bound.upper, 1e-20);
  EXPECT_GT(delta.bound.lower, 9.99e-21);
}

// Steps to where delta is inside, too, were ever four times as long as the one before: a tenth too far.
TEST(ByAccountant, StepsNoFartherThanDeltaTakes) {
  const Plan plan = parse_plan("2 x wor(58 of 16625, 2 x gaussian(?)) under replace_one");
  const Solution found = unknown(plan, AccountantName::best, default_tolerance, 1.12193, 4.6462e-62).value();
  ASSERT_TRUE(found.value);
  EXPECT_GT(found.at_value.upper, 1.12193 * 0.999);
  EXPECT_LT(*found.value, 3.599);
}

// Where that decides at the guess and refuses nearer to the answer, steps were halved down to the refusal.
TEST(ByAccountant, AsksOthersWhereTheMemberThatDecidesHasNoAnswer) {
  int asked = 0;
  const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
    ++asked;
    const bool is_far = noise > 5;
    if (name == AccountantName::contour && !is_far) return Refusal{"contour", "has no theorem"};
    Bound bound;
    bound.upper = (name == AccountantName::renyi ? 3 : 2) / noise;
    bound.accountant = to_string(is_far ? AccountantName::contour : AccountantName::exact);
    return bound;
  };
  const Solution found = by_accountant(UnknownKind::noise, AccountantName::best, 1e-3, 0.5, bound_by).value();
  EXPECT_NEAR(found.value.value(), 4, 1e-9);
  EXPECT_LE(asked, 40);
}

// An end moves within its bracket as a contour is placed, and to halve what no end tells apart took a question each.
TEST(ByAccountant, StopsWithinWhatTheBracketLeavesOpen) {
  int asked = 0;
  const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
    if (name != AccountantName::renyi) ++asked;
    Bound bound;
    bound.upper = (name == AccountantName::renyi ? 3 : 2) / noise * (1 + 1e-8 * std::sin(1e12 * std::min(noise, 10.0)));
    bound.lower = name == AccountantName::renyi ? 0 : bound.upper * (1 - 1e-5);
    bound.is_resolved = true;
    bound.accountant = to_string(name == AccountantName::best ? AccountantName::contour : name);
    return bound;
  };
  const Solution found = by_accountant(UnknownKind::noise, AccountantName::best, 1e-3, 0.5, bound_by).value();
  EXPECT_NEAR(found.value.value(), 4, 4e-6);
  EXPECT_LE(found.at_value.upper, 0.5);
  EXPECT_LE(asked, 9);
}

// Who decides at a guess that is far off guides the search no farther than to where others may: a contour that hardly
// converges was searched to the last digit before anybody else was asked there.
TEST(ByAccountant, AsksAllWhereTheSecondThatDecidesIsNear) {
  std::map<AccountantName, int> asked;
  const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
    ++asked[name];
    const std::map<AccountantName, double> constants{{AccountantName::renyi, 1e6},
                                                     {AccountantName::approximate, 8},
                                                     {AccountantName::contour, 2.1},
                                                     {AccountantName::loss_distribution, 2}};
    const AccountantName decides = noise > 20  ? AccountantName::approximate
                                   : noise > 5 ? AccountantName::contour
                                               : AccountantName::loss_distribution;
    Bound bound;
    bound.upper = constants.at(name == AccountantName::best ? decides : name) / noise;
    bound.accountant = to_string(name == AccountantName::best ? decides : name);
    return bound;
  };
  const Solution found = by_accountant(UnknownKind::noise, AccountantName::best, 1e-3, 0.5, bound_by).value();
  EXPECT_NEAR(found.value.value(), 4, 4e-4);
  EXPECT_LE(asked[AccountantName::contour], 12);
}

// Ends that no mesh resolves jump by percents from one value to the next, and their digits say nothing.
TEST(ByAccountant, LooksForNoDigitsThatMeshesDoNotResolve) {
  const auto questions = [](bool is_resolved) {
    int asked = 0;
    const auto bound_by = [&](AccountantName name, double noise) -> Answer<Bound> {
      Bound bound;
      bound.accountant = to_string(AccountantName::loss_distribution);
      bound.is_resolved = is_resolved;
      bound.upper = (name == AccountantName::renyi ? 2.2 : 2) / noise;
      if (name != AccountantName::renyi && ++asked > 0 && noise < 4) bound.upper *= 1.03;
      return bound;
    };
    const Solution found = by_accountant(UnknownKind::noise, AccountantName::best, 1e-5, 0.5, bound_by).value();
    EXPECT_NEAR(found.value.value(), 4, 4e-4 * 1.01);
    EXPECT_LE(found.at_value.upper, 0.5);
    return asked;
  };
  EXPECT_LT(questions(false), questions(true));
}

// Meshes decide at the guess, and contours at the answer: steps from there left a third of the noise.
TEST(ByAccountant, FollowsTheMemberThatDecides) {
  const Solution found = unknown(parse_plan("3 x poisson(0.000152529, gaussian(?))"), AccountantName::best,
                                 default_tolerance, 6.65741e-06, 1.90085e-05)
                             .value();
  EXPECT_LT(found.value.value(), 4.82);
}

// Nobody has a guess, and the wide brackets that would give one spend more than the budget at every noise.
TEST(ByAccountant, FindsByNarrowBracketsWhatWideOnesDoNot) {
  const Plan plan = parse_plan(
      "17 x poisson(0.000350724, 20 x gaussian(4.47105)) + 3 x poisson(0.00893679, gaussian(2.03)) + "
      "478 x poisson(0.000372027, discrete_laplace(1.14513)) + gaussian(?)");
  const Solution found = unknown(plan, AccountantName::best, default_tolerance, 0.107, 1.1e-9).value();
  ASSERT_TRUE(found.value);
  EXPECT_LT(*found.value, 700);
  EXPECT_LE(found.at_value.upper, 0.107);
}

// Where nobody has a guess the value that costs least is asked about at once.
TEST(ByAccountant, SeesSoonThatTheRestOfThePlanIsTooMuch) {
  int asked = 0;
  const Solution found = by_accountant(UnknownKind::noise, AccountantName::best, 1e-3, 1,
                                       [&](AccountantName, double noise) -> Answer<Bound> {
                                         ++asked;
                                         Bound bound;
                                         bound.lower = bound.upper = 2 + 1 / noise;
                                         return bound;
                                       })
                             .value();
  EXPECT_FALSE(found.value);
  EXPECT_LE(asked, 4);
}

// Numbers of reports were doubled up to 2^53, where each question takes seconds.
TEST(ByAccountant, AsksForNoReportsBesideARestThatIsTooMuch) {
  const Plan plan = parse_plan("2 x (shuffle(?, rr(2.52564)) + rr(0.162062, 22)) under replace_one");
  const Solution exceeded = unknown(plan, AccountantName::best, 1e-3, 0.0783904, 2.28929e-5).value();
  EXPECT_FALSE(exceeded.value);
  EXPECT_EQ(exceeded.explanation, "no number of reports meets the budget: the rest of the plan exceeds it");
  const Solution unproven = unknown(plan, AccountantName::approximate, 1e-3, 0.0783904, 2.28929e-5).value();
  EXPECT_FALSE(unproven.value);
  EXPECT_TRUE(unproven.explanation.starts_with("no number of reports is proven to meet the budget"))
      << unproven.explanation;
  const Solution found = unknown(plan, AccountantName::best, 1e-3, 0.4, 2.28929e-5).value();
  EXPECT_LE(found.at_value.upper, 0.4);
  EXPECT_FALSE(
      unknown(parse_plan("gaussian(1) + random_allocation(?, gaussian(5))"), AccountantName::best, 1e-3, 1, 1e-5)
          .value()
          .value);
}

TEST(ByAccountant, NamesNoMemberWhereNobodyAnswers) {
  const auto found =
      unknown(parse_plan("random_allocation(9, laplace(?)) under replace_one"), AccountantName::best, 0.1, 1, 1e-5);
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().text().starts_with("no accountant has a theorem for ")) << found.error().text();
}

// Of 0 repetitions the Gaussian alone is left, which has a closed form; of 1 there is none.
TEST(ByAccountant, AsksOthersWhereTheSharpestAtTheGuessHasNoAnswer) {
  for (const double epsilon : {0.9, 0.93}) {
    const auto found = unknown(parse_plan("gaussian(5) + ? x pure(0.125)"), AccountantName::best, 1e-3, epsilon, 1e-6);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->value, 0) << epsilon;
  }
}

TEST(ByAccountant, FindsTheMostDraws) {
  const Plan plan = parse_plan("10 x with_replacement(? of 1000, gaussian(2))");
  const auto spent = [&](double draws) {
    return make_accountant(AccountantName::best, {substitute(plan.event, draws), plan.adjacency}, 1e-3)
        .value()
        ->epsilon(1, 1e-5)
        ->upper;
  };
  const Solution found = unknown(plan, AccountantName::best, 1e-3, 1, 1e-5).value();
  ASSERT_TRUE(found.value);
  EXPECT_EQ(found.kind, UnknownKind::draws);
  EXPECT_LE(spent(*found.value), 1);
  EXPECT_GT(spent(*found.value + 1), 1);
}

TEST(ByAccountant, FindsTheLargestGroup) {
  const Solution found =
      unknown(parse_plan("10 x group(?, gaussian(50))"), AccountantName::best, 1e-3, 1, 1e-5).value();
  ASSERT_TRUE(found.value);
  EXPECT_EQ(found.kind, UnknownKind::group);
  const auto spent = [](double records) {
    const Plan plan{substitute(parse_plan("10 x group(?, gaussian(50))").event, records), Adjacency::add_or_remove_one};
    return make_accountant(AccountantName::exact, plan, 1e-3).value()->epsilon(1, 1e-5)->upper;
  };
  EXPECT_LE(spent(*found.value), 1);
  EXPECT_GT(spent(*found.value + 1), 1);
}

TEST(ByAccountant, FindsTheFewestSteps) {
  const auto spent = [](double steps) {
    const Plan plan{substitute(parse_plan("random_allocation(?, rr(2))").event, steps), Adjacency::add_or_remove_one};
    return make_accountant(AccountantName::best, plan, 1e-3).value()->epsilon(1, 1e-3)->upper;
  };
  const Solution found =
      unknown(parse_plan("random_allocation(?, rr(2))"), AccountantName::best, 1e-3, 0.5, 1e-3).value();
  ASSERT_TRUE(found.value);
  EXPECT_EQ(found.kind, UnknownKind::steps);
  EXPECT_LE(spent(*found.value), 0.5);
  EXPECT_GT(spent(*found.value - 1), 0.5);
}

}  // namespace
}  // namespace dpbudget::solve
