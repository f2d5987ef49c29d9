#include "dpbudget/accounting/accountants/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/best_of.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {
namespace {

using testing::log_uniform;

// Wide brackets are cheap, and their ends as true as those of narrow ones.
constexpr double cheap = 0.3;

Plan random_plan() {
  const bool has_poisson = *rc::gen::arbitrary<bool>();
  const Event event = testing::random_event(*rc::gen::inRange(0, 4), has_poisson ? "poisson" : "wor");
  return {event, has_poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
}

// 10,000 of them by RC_PARAMS="max_success=10000".
RC_GTEST_PROP(EveryAccountant, IsAboveTheLowerBoundOfLossDistributions, ()) {
  const Plan plan = random_plan();
  const double delta = log_uniform(1e-12, 0.5);
  std::optional<Bound> referee;
  try {
    referee = make_accountant(AccountantName::loss_distribution, plan, cheap).value()->epsilon(1, delta).value();
  } catch (const Unsupported&) {
    RC_DISCARD("too wide for a grid");
  }
  for (const AccountantName name : all_accountants) {
    try {
      const bool is_referee = name == AccountantName::loss_distribution;
      const Bound bound = is_referee ? *referee : make_accountant(name, plan, cheap).value()->epsilon(1, delta).value();
      RC_LOG() << to_string(name) << " " << bound.lower << " to " << bound.upper << ", referee " << referee->lower
               << " to " << referee->upper << ": " << to_text(plan.event) << " at " << delta << "\n";
      if (bound.guarantee == Guarantee::estimate) {
        RC_ASSERT(name == AccountantName::gdp);
        continue;
      }
      RC_ASSERT(bound.upper >= referee->lower);
      RC_ASSERT(bound.lower <= referee->upper);
      RC_ASSERT(bound.lower <= bound.upper);
      RC_ASSERT(bound.accountant == to_string(name) || name == AccountantName::best);
    } catch (const Unsupported&) {
      RC_ASSERT(name != AccountantName::best);
    }
  }
}

// What an accountant says of a plan, if anything.
template <class Ask>
auto said(AccountantName name, const Plan& plan, const Ask& ask) -> std::invoke_result_t<const Ask&, Accountant&> {
  const auto accountant = make_accountant(name, plan, cheap);
  if (!accountant) return accountant.error();
  return ask(**accountant);
}

// None but those that were not asked, because the bracket was narrow already, are below it, and these by no more than
// what it lacks.
RC_GTEST_PROP(BestAccountant, IsNeverAboveAMember, ()) {
  const Plan plan = random_plan();
  const double delta = log_uniform(1e-12, 0.5);
  const double epsilon = *rc::gen::element(0.0, 0.1, 2.0);
  const auto epsilon_of = [&](Accountant& accountant) { return accountant.epsilon(1, delta); };
  const auto delta_of = [&](Accountant& accountant) { return accountant.delta(1, epsilon); };
  const auto best_epsilon = said(AccountantName::best, plan, epsilon_of);
  const auto best_delta = said(AccountantName::best, plan, delta_of);
  for (const AccountantName name : best_members) {
    RC_LOG() << to_string(name) << ": " << to_text(plan.event) << " at delta " << delta << ", epsilon " << epsilon;
    const double left_out = enough_without(name, cheap);
    if (const auto found = said(name, plan, epsilon_of))
      RC_ASSERT(best_epsilon->upper * (1 - left_out) <= found->upper);
    if (const auto found = said(name, plan, delta_of))
      RC_ASSERT(best_delta->bound.upper * (1 - left_out) <= found->bound.upper);
  }
}

// Where a mesh, or one member alone, is far from what another one proves.
// Contours resolve the pair of draws, and know nothing of games between clipped batches.
TEST(BestAccountant, AsksMeshesOfClippedBatchesBesideDraws) {
  const Plan plan =
      parse_plan("14040 x wor(256 of 60000, gaussian(1.1), clipped) + with_replacement(2 of 60000, gaussian(50))");
  const auto upper = [&](AccountantName name) {
    return make_accountant(name, plan).value()->epsilon(1, 1e-5).value().upper;
  };
  EXPECT_LE(upper(AccountantName::best), upper(AccountantName::loss_distribution) * (1 + 1e-3));
  EXPECT_LT(upper(AccountantName::best), 2.6);
}

// Below what a double holds meshes were not asked, though their pair is sharper than Renyi's curve.
TEST(BestAccountant, IsNeverAboveAMemberBeyondADouble) {
  const Plan plan = parse_plan("1087 x with_replacement(69 of 152, laplace(13.3052)) + 1 x group(4, pure(0.124354))");
  const auto log_upper = [&](AccountantName name) {
    return make_accountant(name, plan).value()->delta(1, 70.3391).value().log_upper;
  };
  EXPECT_LT(log_upper(AccountantName::best), log_upper(AccountantName::renyi) - 50);
  EXPECT_LE(log_upper(AccountantName::best), log_upper(AccountantName::loss_distribution));
}

TEST(BestAccountant, TakesWhatIsBestForThePlan) {
  const auto best = [](const char* plan) { return make_accountant(AccountantName::best, parse_plan(plan)).value(); };
  EXPECT_EQ(best("poisson(0.0022, 33988060738677 x discrete_laplace(0.765)) under zero_out_one")
                ->epsilon(1, 0.5)
                .value()
                .upper,
            0);
  EXPECT_LE(best("wor(500000000 of 1000000000, pure(0) + discrete_gaussian(14))")->epsilon(1, 3.2e-226).value().upper,
            1.6856);
  EXPECT_LE(best("shuffle(10, rr(1.2176793502973569))")->delta(1, 0).value().bound.upper, 0.17073);
}

TEST(EveryAccountant, HasOneName) {
  for (const AccountantName name : all_accountants) EXPECT_EQ(accountant_named(to_string(name)), name);
  EXPECT_EQ(accountant_named("abacus"), std::nullopt);
}

TEST(EveryAccountant, MarksLimitsAsEstimates) {
  const auto guarantee = [](const std::string& plan) {
    return make_accountant(AccountantName::gdp, parse_plan(plan)).value()->epsilon(10, 1e-5).value().guarantee;
  };
  EXPECT_EQ(guarantee("gaussian(3)"), Guarantee::proven);
  EXPECT_EQ(guarantee("gaussian(3) + 5 x poisson(1, gaussian(2)) + poisson(0, gaussian(1))"), Guarantee::proven);
  EXPECT_EQ(guarantee("poisson(0.1, gaussian(3))"), Guarantee::estimate);
  EXPECT_EQ(guarantee("gaussian(3) + wor(0.1, gaussian(3))"), Guarantee::estimate);
}

// A mesh ends beyond the largest loss, and (epsilon, delta)-DP randomisers are known to one accountant only.
TEST(BestAccountant, NeverExceedsTheLocalGuaranteeOfShuffledReports) {
  const auto best = [](const std::string& plan) {
    return make_accountant(AccountantName::best, parse_plan(plan + " under replace_one")).value();
  };
  EXPECT_LE(best("shuffle(1000, pure(20))")->epsilon(1, 1e-6).value().upper, 20);
  EXPECT_GE(best("shuffle(1000, pure(20))")->epsilon(1, 1e-6).value().lower, 19.9);
  EXPECT_LE(best("shuffle(39, pure(15))")->epsilon(1, 1e-6).value().upper, 15);
  EXPECT_LE(best("shuffle(1000, rr(5))")->epsilon(1, 1e-9).value().upper, 5);
  EXPECT_LE(best("shuffle(10, approximate(1, 1e-9))")->epsilon(1, 1e-6).value().upper, 1);
  EXPECT_LE(best("wor(0.5, 2 x shuffle(10, approximate(1, 1e-9)))")->epsilon(1, 1e-6).value().upper, 2);
  EXPECT_LE(best("shuffle(9007199254740992, pure(8))")->epsilon(1, 1e-6).value().upper, 1e-5);
}

// Losses of 1e-9 have no tilt at which their delta, of 1e-10 at most, would be 1e-5.
TEST(EveryAccountant, KnowsHowFarDeltaIsBeyondAsDeltaSays) {
  const Plan plan = parse_plan("poisson(1e-4, discrete_gaussian(1))");
  constexpr double epsilon = 0.5;
  for (const AccountantName name : {AccountantName::best, AccountantName::renyi, AccountantName::loss_distribution}) {
    const double upper = make_accountant(name, plan).value()->delta(10, epsilon)->bound.upper;
    for (const double share : {0.9, 0.99, 1.0, 1.1}) {
      SCOPED_TRACE(std::string(to_string(name)) + " " + std::to_string(share));
      const double excess =
          make_accountant(name, plan).value()->log_excess_of_delta(10, epsilon, upper * share).value();
      EXPECT_EQ(excess <= 0, upper <= upper * share);
      if (share < 1) {
        EXPECT_NEAR(excess, -std::log(share), 1e-6);
      }
    }
  }
}

TEST(EveryAccountant, SeesThatNothingIsLeftToSpend) {
  for (const std::string plan :
       {"2 x wor(8 of 32, gaussian(1e9))", "participates(3 of 3, 2 x wor(8 of 32, gaussian(9e8)))",
        "2 x poisson(0.25, gaussian(1e10))", "3 x laplace(1e9)"}) {
    for (const AccountantName name : {AccountantName::loss_distribution, AccountantName::best}) {
      const Bound bound = make_accountant(name, parse_plan(plan)).value()->epsilon(1, 1e-5).value();
      EXPECT_EQ(bound.lower, 0) << plan;
      EXPECT_EQ(bound.upper, 0) << plan;
    }
  }
}

// accounting/numeric/proofs.md, 1.4
TEST(EveryAccountant, NeverTakesADeltaBeyondADoubleForZero) {
  constexpr double least = 0x1p-1074;
  int answers = 0;
  for (const char* plan :
       {"gaussian(100)", "gdp(0.01)", "zcdp(0.001)", "100 x poisson(0.01, gaussian(1))", "wor(0.1, gaussian(2))",
        "3 x laplace(0.02)", "shuffle(20, rr(60))", "pure(50) + gaussian(10)"}) {
    for (const AccountantName name : {AccountantName::exact, AccountantName::contour, AccountantName::renyi,
                                      AccountantName::concentrated, AccountantName::approximate, AccountantName::gdp}) {
      const auto accountant = make_accountant(name, parse_plan(plan));
      if (!accountant) continue;
      for (const double epsilon : {55.0, 100.0, 140.0}) {
        const Answer<DeltaBound> found = (*accountant)->delta(1, epsilon);
        if (!found) continue;
        ++answers;
        EXPECT_EQ(found->bound.upper == 0, found->log_upper == -infinity) << plan << to_string(name) << epsilon;
        // Both ends in both forms: what is below a double is between 0 and the least of them.
        if (-infinity < found->log_upper && found->log_upper < -745) {
          EXPECT_EQ(found->bound.upper, least) << plan << to_string(name) << epsilon;
        }
        if (found->log_lower < -745) {
          EXPECT_EQ(found->bound.lower, 0) << plan << to_string(name) << epsilon;
        }
      }
    }
  }
  EXPECT_GT(answers, 50);
}

TEST(EveryAccountant, MayNotSayZeroWhereALogarithmIsKnown) {
  EXPECT_THROW(check_consistency(DeltaBound{{}, -infinity, -800}), std::logic_error);
  EXPECT_NO_THROW(check_consistency(DeltaBound{{}, -infinity, -infinity}));
}

TEST(EveryAccountant, CitesNoTheoremForNothing) {
  for (const char* plan : {"0 x shuffle(10, rr(1))", "0 x laplace(1)", "nothing", "2 x 0 x gaussian(1)"}) {
    const auto exact = make_accountant(AccountantName::exact, parse_plan(plan)).value();
    EXPECT_EQ(joined(exact->epsilon(1, 1e-6).value().theorems), "nothing is released: by definition") << plan;
    EXPECT_EQ(joined(exact->delta(1, 1).value().bound.theorems), "nothing is released: by definition") << plan;
    EXPECT_EQ(exact->epsilon(1, 1e-6).value().upper, 0) << plan;
  }
}

// Its curve is made once, and composed for each question.
TEST(EveryAccountant, CountsRepetitionsAsThePlanDoes) {
  using enum AccountantName;
  for (const auto& [name, plan] :
       {std::pair{renyi, "poisson(0.1, gaussian(2)) + laplace(9)"}, std::pair{concentrated, "gaussian(20) + pure(0.1)"},
        std::pair{approximate, "poisson(0.1, gaussian(2)) + laplace(9)"}, std::pair{approximate, "gaussian(20)"},
        std::pair{gdp, "poisson(0.1, gaussian(2))"}, std::pair{gdp, "gaussian(20)"},
        std::pair{exact, "gaussian(20) + gaussian(30)"}}) {
    const auto once = make_accountant(name, parse_plan(plan)).value();
    for (const std::uint64_t count : {0U, 1U, 2U, 37U}) {
      const Plan repeated{Repeated{count, parse_plan(plan).event}, parse_plan(plan).adjacency};
      const auto all = make_accountant(name, repeated).value();
      const double whole = all->epsilon(1, 1e-5)->upper;
      EXPECT_NEAR(once->epsilon(count, 1e-5)->upper, whole, 1e-12 * whole) << to_string(name) << count;
      // What is not released at all rests on nothing, and a curve that is kept still names what it rests on.
      if (count > 0) {
        EXPECT_EQ(once->delta(count, 0.1)->bound.theorems.size(), all->delta(1, 0.1)->bound.theorems.size())
            << to_string(name) << count;
      }
      EXPECT_NEAR(once->delta(count, 0.1)->bound.upper, all->delta(1, 0.1)->bound.upper, 1e-12)
          << to_string(name) << count;
    }
  }
}

TEST(EveryAccountant, RefusesByValue) {
  const Plan unsampled = parse_plan("zcdp(1)");
  const auto refused = make_accountant(AccountantName::contour, unsampled);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().accountant, "contour");
  const auto asked = make_accountant(AccountantName::exact, parse_plan("shuffle(100, rr(1))")).value()->epsilon(2, 0.1);
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().text().find("there is no closed form"), std::string::npos);
  const auto best =
      make_accountant(AccountantName::best, parse_plan("random_allocation(9, laplace(1)) under replace_one"));
  ASSERT_FALSE(best);
  EXPECT_TRUE(best.error().text().starts_with("no accountant has a theorem for `random_allocation(9, laplace(1))`"))
      << best.error().text();
  EXPECT_THROW(make_accountant(AccountantName::best, {Gaussian{Real::unknown()}, Adjacency::replace_one}),
               InvalidArgument);
}

TEST(EveryAccountant, CitesACompositionOnlyWhereThereIsOne) {
  for (const AccountantName name : all_accountants) {
    const auto cites = [&](const char* plan, std::uint64_t count) {
      const std::string theorems =
          joined(make_accountant(name, parse_plan(plan)).value()->epsilon(count, 1e-5).value().theorems);
      EXPECT_FALSE(theorems.empty());
      return theorems.find("omposition") != std::string::npos || theorems.find("together") != std::string::npos;
    };
    for (const char* one : {"gaussian(1.5)", "1 x gaussian(1.5)"}) {
      EXPECT_FALSE(cites(one, 1)) << to_string(name);
      EXPECT_TRUE(cites(one, 2)) << to_string(name);
    }
    EXPECT_TRUE(cites("2 x gaussian(1.5)", 1)) << to_string(name);
    EXPECT_TRUE(cites("gaussian(1.5) + gaussian(2)", 1)) << to_string(name);
  }
}

TEST(EveryAccountant, RefusesBadNumbersByName) {
  for (const AccountantName name : all_accountants) {
    const bool is_contour = name == AccountantName::contour;  // which leaves Gaussians to `exact`
    const auto accountant =
        make_accountant(name, parse_plan(is_contour ? "poisson(0.1, gaussian(1))" : "gaussian(1)")).value();
    EXPECT_THROW(accountant->epsilon(100, -1e-9).value(), InvalidArgument) << to_string(name);
    EXPECT_THROW(accountant->epsilon(100, 1).value(), InvalidArgument) << to_string(name);
    EXPECT_THROW(accountant->delta(100, -1).value(), InvalidArgument) << to_string(name);
  }
}

TEST(EveryAccountant, AnswersOrRefusesPureDp) {
  const auto pure = [](AccountantName name, const char* plan, std::uint64_t count) {
    return make_accountant(name, parse_plan(plan)).value()->epsilon(count, 0);
  };
  for (const AccountantName name : {AccountantName::best, AccountantName::approximate}) {
    EXPECT_EQ(pure(name, "pure(0.25)", 4)->upper, 1);
    EXPECT_NEAR(pure(name, "2 x laplace(4) + rr(0.5)", 1)->upper, 1, 1e-12);
    EXPECT_EQ(pure(name, "0 x gaussian(1)", 7)->upper, 0);
    const double sampled = std::log1p(0.1 * std::expm1(1));
    EXPECT_NEAR(pure(name, "poisson(0.1, laplace(1)) + pure(1)", 3)->upper, 3 * (sampled + 1), 1e-12);
    EXPECT_GE(pure(name, "poisson(0.1, laplace(1)) + pure(1)", 3)->upper, 3 * (sampled + 1));
    EXPECT_EQ(pure(name, "shuffle(100, rr(2))", 1)->upper, 2);
    for (const auto* plan : {"gaussian(1)", "laplace(1) + approximate(1, 1e-5)", "discrete_gaussian(3)"}) {
      const Answer<Bound> refused = pure(name, plan, 1);
      ASSERT_FALSE(refused) << plan;
      const std::string who = name == AccountantName::best ? "no accountant has a" : "approximate has no";
      EXPECT_TRUE(refused.error().text().starts_with(who + " theorem for pure DP (delta 0)")) << refused.error().text();
    }
  }
  EXPECT_FALSE(pure(AccountantName::renyi, "laplace(1)", 1));
  EXPECT_FALSE(pure(AccountantName::loss_distribution, "laplace(1)", 1));
}

// What is epsilon-DP spends no delta at that epsilon, and at no delta above 0 more than epsilon.
RC_GTEST_PROP(EveryAccountant, IsBelowPureDp, ()) {
  const Plan plan = random_plan();
  const Answer<Bound> pure = make_accountant(AccountantName::best, plan, cheap).value()->epsilon(1, 0);
  if (!pure) RC_DISCARD("not pure");
  const auto best = make_accountant(AccountantName::best, plan, cheap).value();
  RC_ASSERT(best->epsilon(1, log_uniform(1e-12, 0.5))->lower <= pure->upper);
  RC_ASSERT(best->delta(1, pure->upper)->bound.lower <= 1e-300);
}

// The upper ends to the last bit, as budgets that one spends are kept to by the other; the lower ones never above.
RC_GTEST_PROP(EveryAccountant, SaysTheSameFromAboveAlone, ()) {
  const Plan plan = random_plan();
  const double delta = log_uniform(1e-9, 0.5);
  const double epsilon = log_uniform(1e-2, 10);
  RC_LOG() << to_text(plan.event) << " at " << delta << " or " << epsilon;
  for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution, AccountantName::renyi}) {
    const auto fresh = [&] { return make_accountant(name, plan, cheap); };
    if (!fresh()) continue;
    const Answer<Bound> both = fresh().value()->epsilon(1, delta);
    const Answer<Bound> above = fresh().value()->epsilon_from_above(1, delta);
    RC_ASSERT(both.has_value() == above.has_value());
    if (both) {
      RC_ASSERT(above->upper == both->upper && above->lower <= both->lower && 0 <= above->lower);
    }
    const Answer<DeltaBound> deltas = fresh().value()->delta(1, epsilon);
    const Answer<DeltaBound> from_above = fresh().value()->delta_from_above(1, epsilon);
    RC_ASSERT(deltas.has_value() == from_above.has_value());
    if (deltas) {
      RC_ASSERT(from_above->log_upper == deltas->log_upper && from_above->log_lower <= deltas->log_lower &&
                from_above->bound.upper == deltas->bound.upper && 0 <= from_above->bound.lower);
    }
  }
}

// On the same side of a budget, or as narrow.
RC_GTEST_PROP(EveryAccountant, SaysOnWhichSideOfABudgetItIs, ()) {
  const Plan plan = random_plan();
  const double delta = log_uniform(1e-9, 0.5);
  for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution, AccountantName::renyi}) {
    const auto fresh = [&] { return make_accountant(name, plan, cheap); };
    if (!fresh()) continue;
    const Answer<Bound> found = fresh().value()->epsilon_from_above(1, delta);
    const double budget = found && std::isfinite(found->upper) ? found->upper * log_uniform(0.3, 3) : 1;
    RC_LOG() << to_text(plan.event) << " at " << delta << " beside " << budget;
    const Answer<Bound> beside = fresh().value()->epsilon_beside(1, delta, budget);
    RC_ASSERT(found.has_value() == beside.has_value());
    if (!found) continue;
    RC_ASSERT((beside->upper <= budget) == (found->upper <= budget));
    RC_ASSERT(beside->lower <= found->upper);
    RC_ASSERT(found->lower <= beside->upper);
    if (!is_clear_of(budget, beside->lower, beside->upper) && beside->lower > 0)
      RC_ASSERT(beside->upper - beside->lower <= std::max(2 * (found->upper - found->lower), cheap * found->upper));
  }
  RC_ASSERT_THROWS_AS(make_accountant(AccountantName::best, plan, cheap).value()->epsilon_beside(1, delta, -1),
                      InvalidArgument);
}

// And of deltas.
RC_GTEST_PROP(EveryAccountant, SaysOnWhichSideOfABudgetDeltaIs, ()) {
  const Plan plan = random_plan();
  const double epsilon = log_uniform(1e-2, 10);
  for (const AccountantName name : {AccountantName::best, AccountantName::loss_distribution, AccountantName::renyi}) {
    const auto fresh = [&] { return make_accountant(name, plan, cheap); };
    if (!fresh()) continue;
    const Answer<DeltaBound> found = fresh().value()->delta_from_above(1, epsilon);
    const double budget = found ? std::min(0.5, found->bound.upper * log_uniform(0.3, 3)) : 0.1;
    RC_LOG() << to_text(plan.event) << " at " << epsilon << " beside " << budget;
    const Answer<DeltaBound> beside = fresh().value()->delta_beside(1, epsilon, budget);
    RC_ASSERT(found.has_value() == beside.has_value());
    if (!found) continue;
    RC_ASSERT((beside->bound.upper <= budget) == (found->bound.upper <= budget));
    RC_ASSERT(beside->bound.lower <= found->bound.upper);
    RC_ASSERT(found->bound.lower <= beside->bound.upper);
  }
  for (const double budget : {-1.0, 1.0})
    RC_ASSERT_THROWS_AS(make_accountant(AccountantName::best, plan, cheap).value()->delta_beside(1, epsilon, budget),
                        InvalidArgument);
}

// By whoever has them sharpest: contours, meshes, sums over outcomes.
TEST(BestAccountant, IsAsNarrowAsItsSharpestMember) {
  const std::tuple<const char*, double, double> plans[] = {
      {"18 x participates(0.495807, gaussian(33.4739)) under replace_one", 1.75018e-10, 1e-11},
      {"4 x poisson(0.0232431, gaussian(22.4193)) under add_or_remove_one", 1.42107e-12, 1e-7},
      {"391 x laplace(20.6774) under replace_one", 1.3948e-10, 1e-7},
      {"1797 x discrete_gaussian(22.9282) under add_or_remove_one", 1.27251e-10, 1e-9},
      {"71 x poisson(0.0156597, approximate(0.532994, 3.96159e-10)) under add_or_remove_one", 1.07415e-6, 1e-10},
      // A first mesh that resolves nothing, and takes long.
      {"59 x poisson(2.86417e-05, gaussian(0.465483)) + 4 x poisson(1.42196e-05, gaussian(0.903391))", 2.52978e-11,
       1e-3},
  };
  for (const auto& [text, delta, width] : plans) {
    const Bound found = make_accountant(AccountantName::best, parse_plan(text)).value()->epsilon(1, delta).value();
    EXPECT_LT(found.upper - found.lower, width * found.upper) << text;
  }
}

// What data sets attain is another pair's, which is left out.
TEST(EveryAccountant, LeavesOutFromAboveWhatOthersAttain) {
  for (const char* text :
       {"3 x shuffled_batches(4, gaussian(1)) under replace_one", "2 x wor(2 of 5, rr(1)) under replace_one",
        "2 x participates(0.5, wor(0.3, gaussian(1)))"}) {
    const Plan plan = parse_plan(text);
    const Bound both = make_accountant(AccountantName::best, plan).value()->epsilon(1, 1e-5).value();
    const Bound above = make_accountant(AccountantName::best, plan).value()->epsilon_from_above(1, 1e-5).value();
    EXPECT_EQ(above.upper, both.upper) << text;
    EXPECT_GT(both.lower, 0) << text;
    EXPECT_LE(above.lower, both.lower) << text;
  }
}

// What was answered in full is no wider where less of it is asked.
TEST(EveryAccountant, RemembersBothEnds) {
  for (const AccountantName name : {AccountantName::contour, AccountantName::loss_distribution}) {
    const auto accountant = make_accountant(name, parse_plan("300 x wor(0.1, laplace(5)) under replace_one")).value();
    const Bound both = accountant->epsilon(1, 1e-5).value();
    EXPECT_GT(both.lower, 0);
    EXPECT_EQ(accountant->epsilon_beside(1, 1e-5, 10 * both.upper).value().lower, both.lower);
    const DeltaBound delta = accountant->delta(1, both.upper).value();
    EXPECT_GT(delta.bound.lower, 0);
    EXPECT_EQ(accountant->delta_beside(1, both.upper, 0.5).value().bound.lower, delta.bound.lower);
    EXPECT_EQ(accountant->epsilon(1, 1e-5).value().upper, both.upper);
    EXPECT_EQ(accountant->delta(1, both.upper).value().bound.upper, delta.bound.upper);
  }
}

TEST(EveryAccountant, AnswersOrRefusesAtTheEndsOfADouble) {
  const auto epsilon = [](AccountantName name, const char* plan) {
    return make_accountant(name, parse_plan(plan)).value()->epsilon(1, 1e-5).value();
  };
  EXPECT_EQ(epsilon(AccountantName::gdp, "0 x poisson(0.1, gaussian(1))").upper, 0);
  EXPECT_EQ(epsilon(AccountantName::gdp, "poisson(1e-200, gaussian(1))").upper, 0);
  EXPECT_THROW(make_accountant(AccountantName::contour, parse_plan("gaussian(1)")).value()->delta(1, 1e300).value(),
               Unsupported);
  // One accountant's limit is not that of all.
  const auto best = make_accountant(AccountantName::best, parse_plan("discrete_gaussian(1e-160) + laplace(1)")).value();
  EXPECT_EQ(best->delta(1, 1).value().bound.upper, 1);
  // Losses near 10^4 leave no mesh that holds them.
  const auto nearly_noiseless =
      make_accountant(AccountantName::best, parse_plan("wor(0.01, 10 x wor(0.1, gaussian(0.01)))")).value();
  EXPECT_GE(nearly_noiseless->epsilon(1, 1e-5).value().upper, 6213);
  // An infinite epsilon is reached by no finite one.
  const auto approximate = make_accountant(AccountantName::approximate, parse_plan("approximate(1, 0.5)")).value();
  EXPECT_GE(approximate->delta(1, 1e300).value().bound.upper, 0.5);
}

}  // namespace
}  // namespace dpbudget
